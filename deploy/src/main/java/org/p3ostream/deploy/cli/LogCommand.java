package org.p3ostream.deploy.cli;

import picocli.CommandLine.Command;

/** {@code p3o log}. */
@Command(
    name = "log",
    description = "Shows what is in the topics of a run.",
    mixinStandardHelpOptions = true,
    subcommands = {
      LogRolloutsCommand.class,
      LogStepsCommand.class,
      LogSnapshotsCommand.class,
      LogDeadLettersCommand.class
    })
final class LogCommand {}
