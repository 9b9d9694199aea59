package org.p3ostream.deploy.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.audit.AuditAnswer;
import org.p3ostream.deploy.audit.AuditJson;
import org.p3ostream.deploy.audit.AuditQuestion;
import org.p3ostream.deploy.audit.AuditText;
import org.p3ostream.deploy.audit.RunAudit;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code p3o audit}. Its {@code --version} is a policy version. */
@Command(
    name = "audit",
    description = {
      "Checks a run against its topics: the hash chain of the ledger, every record that a step"
          + " names, every record that it does not, prompts, dead letters, and the weights of every"
          + " snapshot.",
      "Reads only, and may run while the run goes on."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:ok", "1:not ok, or the audit failed", "2:wrong usage or configuration"})
final class AuditCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private RunOptions options = new RunOptions();

  @Option(
      names = "--version",
      paramLabel = "V",
      description = "Tells which groups trained this policy version.")
  private @Nullable Long version;

  @Option(names = "--group", paramLabel = "ID", description = "Tells what happened to this group.")
  private @Nullable Long groupId;

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help message and exit.")
  @SuppressWarnings("UnusedVariable") // picocli reads it
  private boolean help;

  @Override
  public Integer call() throws Exception {
    requireNotNegative("--version", version);
    requireNotNegative("--group", groupId);
    try (RunOptions.OpenRun run = options.open(this::tell);
        RoleClients clients = new RoleClients(run.config())) {
      options.awaitBrokerAndRegistry(clients, this::tell);
      AuditAnswer answer =
          new RunAudit(run.config(), clients, this::tell).run(new AuditQuestion(version, groupId));
      show(answer);
      return answer.report().ok() ? ExitCode.DONE : ExitCode.FAILED;
    }
  }

  private static void requireNotNegative(String option, @Nullable Long value) {
    if (value != null && value < 0) {
      throw new ConfigException(option + ": " + value + " must be >= 0");
    }
  }

  private void show(AuditAnswer answer) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(AuditJson.text(answer));
      out.flush();
    } else {
      new AuditText(out).show(answer);
    }
  }

  private void tell(String message) {
    spec.commandLine().getErr().println("p3o: " + message);
    spec.commandLine().getErr().flush();
  }
}
