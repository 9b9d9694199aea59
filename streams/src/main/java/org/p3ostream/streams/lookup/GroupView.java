package org.p3ostream.streams.lookup;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A rollout group as {@code /api/groups/{id}} shows it. The ratio of a token is not among it: log
 * π_θ is not in the log and takes a forward pass, see {@link GroupRatios}.
 *
 * @param step the step that trained it
 * @param trainedVersion version of the weights that the step updated
 * @param stalenessMax trainedVersion less the oldest version that sampled a token
 * @param partition its partition of {@code rollouts}
 * @param recordOffset its offset there
 * @param generatedAt end of generation, milliseconds since the epoch
 * @param textNote why there are no texts; null if there are
 * @param prompt text of the prompt
 */
public record GroupView(
    long groupId,
    int attempt,
    long step,
    long trainedVersion,
    long stalenessMax,
    int partition,
    long recordOffset,
    String promptId,
    String producerId,
    long generatedAt,
    double generationMillis,
    @Nullable String textNote,
    @Nullable String prompt,
    List<Integer> promptTokens,
    List<ResponseView> responses) {

  /**
   * One response.
   *
   * @param text all of it; null without a tokenizer
   * @param tokenCount tokens that it has; {@code tokens} may show fewer
   * @param meanBehaviorLogprob over all tokens, nats; null for none
   */
  public record ResponseView(
      double reward,
      Map<String, Double> rewardComponents,
      String finishReason,
      long policyVersion,
      List<SegmentView> versionSegments,
      double temperature,
      String logprobKind,
      @Nullable String text,
      int tokenCount,
      @Nullable Double meanBehaviorLogprob,
      List<TokenView> tokens) {}

  /** From this token on, this version sampled. */
  public record SegmentView(int fromToken, long policyVersion) {}

  /**
   * One token.
   *
   * @param text what it adds to the text; null without a tokenizer
   * @param behaviorLogprob log π_b as the producer recorded it, nats
   * @param inLoss whether it takes part in the loss
   */
  public record TokenView(int id, @Nullable String text, float behaviorLogprob, boolean inLoss) {}
}
