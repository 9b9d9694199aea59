package org.p3ostream.learner.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.config.RecoveryConfig;
import org.p3ostream.learner.forward.BehaviorSnapshotMissingException;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.snapshot.WeightsDigest;

/**
 * Compares the weights that a step gives when it is executed again with those that the ledger
 * names. Where they may differ, the ledger's are taken over from the snapshot of that version: it
 * is what the producers sample with.
 *
 * <pre>  d = max_i |θ_i − θ'_i|   over all P weights, float32 in float64; within if d ≤ tolerance
 * </pre>
 */
final class WeightCheck {
  private final RecoveryConfig config;
  private final LongFunction<float[]> snapshots;
  private final Map<String, String> recordedEnvironment;
  private final Map<String, String> environment;
  private int adopted;
  private double largestDifference;

  /**
   * @param snapshots weights of a version as they lie in the log, [P]
   * @param recordedEnvironment of the run when it was opened
   * @param environment of this process
   */
  WeightCheck(
      RecoveryConfig config,
      LongFunction<float[]> snapshots,
      Map<String, String> recordedEnvironment,
      Map<String, String> environment) {
    this.config = config;
    this.snapshots = snapshots;
    this.recordedEnvironment = recordedEnvironment;
    this.environment = environment;
  }

  /**
   * Checks the weights after a step.
   *
   * @return the ledger's weights, [P], where these differ and may; null where they are equal
   * @throws LedgerException if they differ further than they may
   */
  float @Nullable [] adopted(StepEvent event, float[] weights) {
    String found = WeightsDigest.sha256(WeightsDigest.toBytes(weights));
    if (found.equals(event.getWeightsSha256())) {
      return null;
    }
    if (config.verify() == RecoveryConfig.Verify.EXACT) {
      throw new LedgerException(
          "step %d executed again gives weights %s, the ledger says %s%s"
              .formatted(
                  event.getStep(), found, event.getWeightsSha256(), environmentDifferences()));
    }
    float[] recorded = recorded(event);
    double difference = largestDifference(weights, recorded);
    if (!(difference <= config.tolerance())) {
      throw new LedgerException(
          "step %d executed again gives weights that differ by up to %s from those of version %d, recovery.tolerance is %s%s"
              .formatted(
                  event.getStep(),
                  difference,
                  event.getPolicyVersionAfter(),
                  config.tolerance(),
                  environmentDifferences()));
    }
    adopted++;
    largestDifference = Math.max(largestDifference, difference);
    return recorded;
  }

  private float[] recorded(StepEvent event) {
    try {
      float[] recorded = snapshots.apply(event.getPolicyVersionAfter());
      String digest = WeightsDigest.sha256(WeightsDigest.toBytes(recorded));
      if (digest.equals(event.getWeightsSha256())) {
        return recorded;
      }
      throw new LedgerException(
          "the snapshot of version %d is %s, the ledger says %s"
              .formatted(event.getPolicyVersionAfter(), digest, event.getWeightsSha256()));
    } catch (BehaviorSnapshotMissingException e) {
      throw new LedgerException(
          "step %d executed again gives other weights, and there is nothing to compare them with: %s"
              .formatted(event.getStep(), e.getMessage()));
    }
  }

  private static double largestDifference(float[] weights, float[] recorded) { // [P] each
    double largest = 0;
    for (int i = 0; i < weights.length; i++) {
      double difference = Math.abs((double) weights[i] - recorded[i]);
      if (Double.isNaN(difference)) {
        return difference;
      }
      largest = Math.max(largest, difference);
    }
    return largest;
  }

  /** What it came to, for a message. */
  String summary() {
    return adopted == 0
        ? "every weight digest as recorded"
        : "%d of them gave other weights, by %s at most: those of the log were taken over"
            .formatted(adopted, largestDifference);
  }

  private String environmentDifferences() {
    List<String> differences = new ArrayList<>();
    new TreeMap<>(recordedEnvironment)
        .forEach(
            (key, recorded) -> {
              String here = environment.getOrDefault(key, recorded);
              if (!here.equals(recorded)) {
                differences.add("%s: %s -> %s".formatted(key, recorded, here));
              }
            });
    return differences.isEmpty()
        ? ""
        : "; the environment is another one: " + String.join("; ", differences);
  }
}
