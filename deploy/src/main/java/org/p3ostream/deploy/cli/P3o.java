package org.p3ostream.deploy.cli;

import org.p3ostream.deploy.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code p3o} command. */
@Command(
    name = "p3o",
    description = "Streaming reinforcement-learning post-training of language models on Kafka.",
    mixinStandardHelpOptions = true,
    versionProvider = BuildVersion.class,
    subcommands = {
      UpCommand.class,
      DemoCommand.class,
      LearnerCommand.class,
      ProducerCommand.class,
      StreamsCommand.class,
      LogCommand.class,
      MetricsCommand.class,
      TopCommand.class,
      AuditCommand.class,
      ReplayCommand.class,
      ForkCommand.class,
      ExperimentCommand.class,
      PretrainCommand.class,
      PromptsCommand.class,
      LossCommand.class
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed",
      "2:wrong usage or configuration",
      "3:fenced: another process took over"
    })
public final class P3o {

  private static final Logger LOG = LoggerFactory.getLogger(P3o.class);

  public static void main(String[] arguments) {
    System.exit(commandLine().setOut(StandardOutput.writer()).execute(arguments));
  }

  /** The command line with its exit codes, without leaving the JVM. */
  public static CommandLine commandLine() {
    return new CommandLine(new P3o())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpAutoWidth(true)
        .setExecutionExceptionHandler(P3o::report)
        .setExitCodeExceptionMapper(ExitCode::of);
  }

  private static int report(
      Exception failure, CommandLine commandLine, CommandLine.ParseResult parsed) {
    if (failure instanceof ConfigException wrong) {
      wrong.problems().forEach(problem -> commandLine.getErr().println("p3o: " + problem));
    } else {
      LOG.debug("command failed", failure);
      commandLine.getErr().println("p3o: " + message(failure));
    }
    commandLine.getErr().flush();
    return ExitCode.of(failure);
  }

  private static String message(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }
}
