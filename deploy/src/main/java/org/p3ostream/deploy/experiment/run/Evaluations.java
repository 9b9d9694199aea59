package org.p3ostream.deploy.experiment.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.p3ostream.deploy.evaluation.HeldOutEvaluation;
import org.p3ostream.deploy.experiment.outcome.Evaluated;
import org.p3ostream.deploy.experiment.outcome.StepFigures;
import org.p3ostream.deploy.experiment.plan.HeldOut;
import org.p3ostream.deploy.progress.LogFollower;
import org.p3ostream.learner.task.PromptFile;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.snapshot.SnapshotAssembler;

/** Evaluates versions of a run out of its snapshots. */
final class Evaluations {

  /** Longer than any right answer, so that a wrong one may show itself. */
  static final int MAX_TOKENS = 12;

  /** Of the sampling: the same for every version of every run. */
  static final long SEED = 1;

  private static final Duration POLL = Duration.ofMillis(200);

  private final HeldOut rule;
  private final PreparedStart start;

  Evaluations(HeldOut rule, PreparedStart start) {
    this.rule = rule;
    this.start = start;
  }

  /**
   * Held-out rewards of the versions after the last step and some before it, ascending.
   *
   * @param steps all of the run
   * @param weightsSha256 what the newest version must have
   * @throws IllegalStateException if a snapshot is missing, broken or of other weights
   */
  List<Evaluated> of(List<StepFigures> steps, String weightsSha256, LogFollower snapshots) {
    Map<Long, Long> versions = new TreeMap<>(); // by number of steps
    for (int i = rule.evaluations() - 1; i >= 0; i--) {
      int done = steps.size() - i * rule.everySteps();
      versions.put((long) done, steps.get(done - 1).policyVersion());
    }
    Map<Long, SnapshotAssembler.Complete> found = read(snapshots, versions);
    List<Evaluated> evaluated = new ArrayList<>();
    try (HeldOutEvaluation evaluation =
        HeldOutEvaluation.open(
            start.model(), PromptFile.read(start.heldOutPrompts()), MAX_TOKENS)) {
      for (Map.Entry<Long, Long> version : versions.entrySet()) {
        SnapshotAssembler.Complete snapshot = found.get(version.getValue());
        if (snapshot == null) {
          throw new IllegalStateException("there is no snapshot of version " + version.getValue());
        }
        if (version.getKey() == steps.size()
            && !snapshot.manifest().getSha256().equals(weightsSha256)) {
          throw new IllegalStateException(
              "the newest snapshot rebuilds weights %s, the ledger ends with %s"
                  .formatted(snapshot.manifest().getSha256(), weightsSha256));
        }
        evaluated.add(
            new Evaluated(version.getKey(), evaluation.exactMatch(snapshot.weights(), SEED)));
      }
    }
    return evaluated;
  }

  private static Map<Long, SnapshotAssembler.Complete> read(
      LogFollower snapshots, Map<Long, Long> versions) {
    Map<Long, SnapshotAssembler.Complete> found = new TreeMap<>();
    SnapshotAssembler assembler = new SnapshotAssembler();
    do {
      for (SpecificRecord record : snapshots.poll(POLL)) {
        if (record instanceof SnapshotChunk chunk) {
          assembler.add(chunk);
        } else if (record instanceof SnapshotManifest manifest
            && assembler.close(manifest) instanceof SnapshotAssembler.Complete complete
            && versions.containsValue(manifest.getVersion())) {
          found.put(manifest.getVersion(), complete);
        }
      }
    } while (!snapshots.isAtEnd());
    return found;
  }
}
