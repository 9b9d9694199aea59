package org.p3ostream.deploy.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;

/**
 * The steps of a run and how it began, out of its ledger. Keeps a few hundred bytes a step, not the
 * events.
 */
public final class StepSeries {

  private final List<StepRow> rows = new ArrayList<>();
  private @Nullable Long previousAt;
  private long learnerEpoch = -1;
  private @Nullable String configuration;
  private Map<String, String> environment = Map.of();

  /** Takes the next event of the ledger. */
  public void add(StepEvent event) {
    if (event.getLearnerEpoch() != learnerEpoch) {
      previousAt = null; // the time between two learners is no step's
      learnerEpoch = event.getLearnerEpoch();
    }
    if (event.getKind() == StepKind.GENESIS) {
      configuration = event.getConfiguration();
      environment = Map.copyOf(event.getEnvironment());
      previousAt = event.getCommittedAt();
    } else if (event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP) {
      rows.add(row(event));
      previousAt = event.getCommittedAt();
    }
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The training-relevant configuration as JSON; null before GENESIS. */
  public @Nullable String configuration() {
    return configuration;
  }

  /** What else the weights depend on; empty before GENESIS. */
  public Map<String, String> environment() {
    return environment;
  }

  List<StepRow> rows() {
    return Collections.unmodifiableList(rows);
  }

  private StepRow row(StepEvent event) {
    return new StepRow(
        event.getStep(),
        event.getKind().name(),
        event.getPolicyVersionAfter(),
        event.getWindow().size(),
        event.getCommittedAt(),
        previousAt == null ? null : event.getCommittedAt() - previousAt,
        event.getMetrics(),
        event.getPhases(),
        event.getWeightsSha256());
  }
}
