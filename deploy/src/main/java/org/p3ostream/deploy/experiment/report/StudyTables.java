package org.p3ostream.deploy.experiment.report;

import java.util.ArrayList;
import java.util.List;
import org.p3ostream.deploy.experiment.outcome.Measure;
import org.p3ostream.deploy.experiment.table.CellTables;
import org.p3ostream.deploy.experiment.table.Comparisons;
import org.p3ostream.deploy.experiment.table.PlanTables;
import org.p3ostream.deploy.experiment.table.RunTables;
import org.p3ostream.deploy.experiment.table.Study;
import org.p3ostream.deploy.experiment.table.Table;

/** Which tables a report has, in their order. */
final class StudyTables {

  private StudyTables() {}

  /** For people, in the page and in Markdown. */
  static List<Table> shown(Study study) {
    List<Table> tables = new ArrayList<>();
    for (Measure measure : Measure.values()) {
      if (measure == Measure.TRAINED_RATE) {
        tables.add(Comparisons.differences(study));
        if (study.plan().hasLevels()) {
          tables.add(Comparisons.correlations(study));
        }
      }
      tables.add(CellTables.grid(study, measure));
    }
    tables.add(RunTables.failures(study));
    tables.add(PlanTables.scenarios(study.plan()));
    tables.add(PlanTables.algorithms(study.plan()));
    tables.add(PlanTables.definitions());
    return tables;
  }

  /** For machines, each in a file of its own. */
  static List<Table> files(Study study) {
    List<Table> tables =
        new ArrayList<>(
            List.of(
                CellTables.summary(study),
                CellTables.costs(study),
                RunTables.runs(study),
                Comparisons.differences(study),
                RunTables.trace(study)));
    if (study.plan().hasLevels()) {
      tables.add(Comparisons.correlations(study));
    }
    return tables;
  }
}
