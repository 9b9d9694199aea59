package org.p3ostream.deploy.experiment.report;

import org.p3ostream.deploy.experiment.table.Markdown;
import org.p3ostream.deploy.experiment.table.Study;
import org.p3ostream.deploy.experiment.table.Table;

/** The report as Markdown. */
final class MarkdownReport {

  private MarkdownReport() {}

  static String of(Study study) {
    StringBuilder text = new StringBuilder("# ").append(study.plan().title()).append("\n\n");
    text.append(study.plan().question().strip()).append("\n\n");
    text.append(status(study)).append("\n\n");
    for (String rule : study.rules()) {
      text.append("- ").append(rule).append('\n');
    }
    text.append(
        """

        Settings of all runs: `%s`.

        """
            .formatted(
                study.plan().settings().toString().replaceAll("[{}]", "").replace("=", ": ")));
    for (Table table : StudyTables.shown(study)) {
      text.append(Markdown.of(table, 2));
    }
    text.append(
        """
        ## Where the numbers come from

        `runs.csv` has every run with its verdict, `trace.csv` its topic prefix, the offsets of its first and last event in `<prefix>steps`,
        the ends of its partitions, and the SHA-256 of its configuration; `summary.csv`, `differences.csv` and `costs.csv` are the tables
        above, exact. `runs/ID/p3o.yaml` of the experiment's directory is the configuration of a run.
        """);
    return text.toString();
  }

  /** How many runs there are and what the gate says of them. */
  static String status(Study study) {
    String unfinished =
        study.isComplete()
            ? ""
            : "**Unfinished: %d of %d runs.** "
                .formatted(study.results().size(), study.plan().runs().size());
    return unfinished
        + "%d runs of %d steps: %d passed the execution part of the gate, %d the quality part too."
            .formatted(
                study.results().size(), study.plan().steps(), study.executed(), study.passed());
  }
}
