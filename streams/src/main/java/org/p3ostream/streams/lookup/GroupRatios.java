package org.p3ostream.streams.lookup;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.live.GroupIndex.TrainedGroup;

/**
 * Importance ratios of a trained group, before cap and clip.
 *
 * @param step the step that trained it
 * @param trainedVersion version of the weights that the step updated: π_θ
 * @param responses one for each response that came to an end, in the order of the record: a ratio
 *     for each token, null where a token is not in the loss or its ratio is not finite
 */
public record GroupRatios(
    long groupId, long step, long trainedVersion, List<List<@Nullable Double>> responses) {

  /** As many tokens of each response as {@link GroupView} shows. */
  static GroupRatios of(TrainedGroup at, List<double[]> responses) {
    int most = GroupLookup.MOST_TOKENS / Math.max(1, responses.size());
    return new GroupRatios(
        at.groupId(),
        at.step(),
        at.trainedVersion(),
        responses.stream().map(ratios -> shown(ratios, most)).toList());
  }

  private static List<@Nullable Double> shown(double[] ratios, int most) {
    return Arrays.stream(ratios)
        .limit(most)
        .<@Nullable Double>mapToObj(ratio -> Double.isFinite(ratio) ? (Double) ratio : null)
        .collect(Collectors.toList());
  }
}
