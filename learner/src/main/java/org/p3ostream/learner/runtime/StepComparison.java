package org.p3ostream.learner.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.VersionRatioStatistics;

/**
 * Compares what a step gives when it is executed again with its event, bit for bit: two numbers are
 * the same if they have the same bits. Left out is what depends on when and where a step is
 * executed: durations, ages and lags.
 */
final class StepComparison {
  private static final Set<String> OF_THE_MOMENT =
      Set.of(
          "ageMeanSeconds",
          "ageGenerationSeconds",
          "ageQueueSeconds",
          "ageHoldBackSeconds",
          "lagWindows",
          "rolloutPolicyAgeWindows");

  /** Recorded of every step since there is such a field, and of none before. */
  private static final Set<String> LATER = Set.of("stalenessP50", "approxKl");

  private StepComparison() {}

  static List<Difference> differences(StepEvent recorded, TrainedWindow found, String weights) {
    List<Difference> differences = new ArrayList<>();
    if (!recorded.getWeightsSha256().equals(weights)) {
      differences.add(new Difference("weightsSha256", recorded.getWeightsSha256(), weights));
    }
    compare("metrics", recorded.getMetrics(), found.metrics(), differences);
    List<VersionRatioStatistics> before = recorded.getRatioStatistics();
    List<VersionRatioStatistics> now = found.ratioStatistics();
    for (int i = 0; i < Math.max(before.size(), now.size()); i++) {
      compare(
          "ratioStatistics[" + i + "]",
          i < before.size() ? before.get(i) : null,
          i < now.size() ? now.get(i) : null,
          differences);
    }
    return differences;
  }

  private static void compare(
      String path,
      @Nullable SpecificRecord recorded,
      @Nullable SpecificRecord found,
      List<Difference> differences) {
    if (recorded == null || found == null) {
      if (recorded != found) {
        differences.add(new Difference(path, presence(recorded), presence(found)));
      }
      return;
    }
    for (Schema.Field field : recorded.getSchema().getFields()) {
      Object before = recorded.get(field.pos());
      Object now = found.get(field.pos());
      boolean compared =
          !OF_THE_MOMENT.contains(field.name())
              && !(before == null
                  && (LATER.contains(field.name()) || isFromBeforeFields(recorded)));
      if (compared && !Objects.equals(before, now)) {
        differences.add(
            new Difference(path + "." + field.name(), String.valueOf(before), String.valueOf(now)));
      }
    }
  }

  /** Metrics from before the settings of the ratio were recorded lack what came with them. */
  private static boolean isFromBeforeFields(SpecificRecord recorded) {
    return recorded instanceof StepMetrics metrics && metrics.getPolicyTemperature() == null;
  }

  private static String presence(@Nullable Object value) {
    return value == null ? "none" : "there";
  }
}
