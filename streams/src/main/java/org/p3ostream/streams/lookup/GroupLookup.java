package org.p3ostream.streams.lookup;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.streams.live.GroupIndex.TrainedGroup;
import org.p3ostream.streams.lookup.GroupView.ResponseView;
import org.p3ostream.streams.lookup.GroupView.SegmentView;
import org.p3ostream.streams.lookup.GroupView.TokenView;

/** Fetches a trained group from where the ledger says that it lies. */
public final class GroupLookup {
  /** Most tokens shown of a group, spread evenly over its responses. */
  static final int MOST_TOKENS = 20_000;

  private final LogReader reader;
  private final TokenDecoder decoder;

  public GroupLookup(LogReader reader, TokenDecoder decoder) {
    this.reader = reader;
    this.decoder = decoder;
  }

  /**
   * The group; empty if it is no longer in the log.
   *
   * @param rolloutsTopic topic that the windows of the run lie in
   */
  public Optional<GroupView> fetch(String rolloutsTopic, TrainedGroup at) {
    return reader
        .at(new TopicPartition(rolloutsTopic, at.partition()), at.recordOffset())
        .filter(RolloutGroup.class::isInstance)
        .map(RolloutGroup.class::cast)
        .filter(group -> group.getGroupId() == at.groupId())
        .map(group -> view(group, at, decoder));
  }

  static GroupView view(RolloutGroup group, TrainedGroup at, TokenDecoder decoder) {
    String hash = group.getTokenizerHash();
    int most = MOST_TOKENS / Math.max(1, group.getResponses().size());
    List<String> prompt = decoder.pieces(hash, group.getPromptTokens());
    return new GroupView(
        group.getGroupId(),
        group.getAttempt(),
        at.step(),
        at.trainedVersion(),
        at.trainedVersion() - at.sampledVersion(),
        at.partition(),
        at.recordOffset(),
        group.getPromptId(),
        group.getProducerId(),
        group.getGeneratedAt(),
        group.getGenerationMillis(),
        decoder.obstacle(hash),
        prompt == null ? null : String.join("", prompt),
        group.getPromptTokens(),
        group.getResponses().stream().map(one -> response(one, hash, most, decoder)).toList());
  }

  private static ResponseView response(
      Response response, String hash, int most, TokenDecoder decoder) {
    List<String> pieces = decoder.pieces(hash, response.getTokens());
    List<Float> logprobs = response.getBehaviorLogprobs();
    return new ResponseView(
        response.getReward(),
        response.getRewardComponents(),
        response.getFinishReason().name(),
        response.getPolicyVersion(),
        response.getVersionSegments().stream()
            .map(part -> new SegmentView(part.getFromToken(), part.getPolicyVersion()))
            .toList(),
        response.getSampling().getTemperature(),
        response.getSampling().getLogprobKind().name(),
        pieces == null ? null : String.join("", pieces),
        response.getTokens().size(),
        logprobs.isEmpty()
            ? null
            : (Double) logprobs.stream().mapToDouble(Float::doubleValue).average().orElseThrow(),
        tokens(response, pieces, most));
  }

  private static List<TokenView> tokens(
      Response response, @Nullable List<String> pieces, int most) {
    int shown = Math.min(most, response.getTokens().size());
    return IntStream.range(0, shown)
        .mapToObj(
            i ->
                new TokenView(
                    response.getTokens().get(i),
                    pieces == null ? null : pieces.get(i),
                    response.getBehaviorLogprobs().get(i),
                    response.getLossMask().get(i) && response.getBehaviorLogprobMask().get(i)))
        .toList();
  }
}
