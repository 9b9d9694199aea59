package org.p3ostream.learner.window;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.VersionSegment;

/**
 * What a rollout group must be to be trained on, whoever produced it. Turns a good record into
 * plain arrays; names reason, field and value of a bad one.
 *
 * @param modelHash architecture and layout of this run's policy
 * @param tokenizerHash digest of this run's tokenizer file
 * @param vocabSize V: token ids are in [0, V)
 * @param samplesPerGroup G
 * @param maxPositions longest sequence of prompt and response that the model takes, tokens
 * @param advantages how rewards become advantages, which must be finite
 * @param sampling how responses may have been sampled
 * @param snapshots asked for the versions of responses whose distribution is computed again
 */
public record RolloutContract(
    String modelHash,
    String tokenizerHash,
    int vocabSize,
    int samplesPerGroup,
    int maxPositions,
    AdvantageRule advantages,
    SamplingRules sampling,
    BehaviorVersions snapshots) {

  /** Fewest responses whose rewards can be compared with each other. */
  private static final int LEAST_RESPONSES = 2;

  /** Outcome of {@link #check}. */
  public sealed interface Verdict {}

  /** The group in plain arrays. */
  public record Kept(TrainingGroup group) implements Verdict {}

  /**
   * The rule that was broken.
   *
   * @param field path of the offending field; null for the whole record
   * @param cause value and rule
   */
  public record Broken(RejectionReason reason, @Nullable String field, String cause)
      implements Verdict {}

  /**
   * Checks a group that this run dispatched.
   *
   * @param currentVersion newest policy version: none can be newer
   * @param askedVersion version asked for at dispatch
   * @param exact whether exactly that version must have sampled it
   */
  public Verdict check(
      RolloutGroup record,
      RolloutCoordinate coordinate,
      long currentVersion,
      long askedVersion,
      boolean exact) {
    try {
      return new Kept(convert(record, coordinate, currentVersion, askedVersion, exact));
    } catch (BrokenRule rule) {
      return rule.broken;
    }
  }

  private TrainingGroup convert(
      RolloutGroup record,
      RolloutCoordinate coordinate,
      long currentVersion,
      long askedVersion,
      boolean exact) {
    require(
        record.getFailure() == null,
        RejectionReason.PRODUCER_FAILURE,
        "failure",
        "producer gave up: " + record.getFailure());
    require(
        record.getModelHash().equals(modelHash),
        RejectionReason.MODEL_MISMATCH,
        "modelHash",
        record.getModelHash() + " is not this run's " + modelHash);
    require(
        record.getTokenizerHash().equals(tokenizerHash),
        RejectionReason.TOKENIZER_MISMATCH,
        "tokenizerHash",
        record.getTokenizerHash() + " is not this run's " + tokenizerHash);
    require(
        record.getResponses().size() == samplesPerGroup,
        RejectionReason.LENGTH_MISMATCH,
        "responses",
        record.getResponses().size() + " responses, " + samplesPerGroup + " were asked for");
    require(
        !record.getPromptTokens().isEmpty(),
        RejectionReason.LENGTH_MISMATCH,
        "promptTokens",
        "must not be empty");
    int[] promptTokens = tokens(record.getPromptTokens(), "promptTokens");
    List<TrainingResponse> responses = new ArrayList<>();
    long oldest = Long.MAX_VALUE;
    for (int i = 0; i < record.getResponses().size(); i++) {
      Response response = record.getResponses().get(i);
      String path = "responses[" + i + "].";
      require(
          promptTokens.length + response.getTokens().size() <= maxPositions,
          RejectionReason.LENGTH_MISMATCH,
          path + "tokens",
          "prompt and response are longer than the model's " + maxPositions + " positions");
      long[] versions = versions(response, path, currentVersion, askedVersion, exact);
      TrainingResponse converted = convert(response, path, versions);
      if (!isAborted(response, path)) {
        responses.add(converted);
      }
      oldest = Math.min(oldest, response.getPolicyVersion());
    }
    require(
        responses.size() >= LEAST_RESPONSES,
        RejectionReason.ABORTED,
        "responses",
        "%d of %d responses came to an end, the others were aborted: advantages take at least %d"
            .formatted(responses.size(), samplesPerGroup, LEAST_RESPONSES));
    return new TrainingGroup(
        coordinate,
        record.getGroupId(),
        record.getAttempt(),
        record.getProducerId(),
        promptTokens,
        responses,
        finiteAdvantages(responses),
        oldest,
        record.getGeneratedAt(),
        record.getGenerationMillis());
  }

  /**
   * Whether a response was cut short from outside. It has no reward, so it is in nothing that is
   * computed: not in ESS and loss, nor in the group's mean and spread, nor in the metrics.
   */
  private static boolean isAborted(Response response, String path) {
    if (response.getFinishReason() != FinishReason.ABORTED) {
      return false;
    }
    int trained = response.getLossMask().indexOf(true);
    require(
        trained < 0,
        RejectionReason.ABORTED,
        path + "lossMask[" + trained + "]",
        "true in an aborted response: what was cut short has no reward");
    return true;
  }

  /** Rewards can be finite and yet too large for their mean or their spread to be. */
  private double[] finiteAdvantages(List<TrainingResponse> responses) {
    double[] found = advantages.of(responses); // [G']
    for (double advantage : found) {
      if (!Double.isFinite(advantage)) {
        double[] rewards = responses.stream().mapToDouble(TrainingResponse::reward).toArray();
        throw broken(
            RejectionReason.NON_FINITE,
            "responses[].reward",
            Arrays.toString(rewards) + " give no finite advantages");
      }
    }
    return found;
  }

  private TrainingResponse convert(Response response, String path, long[] versions) {
    int length = response.getTokens().size();
    requireLength(response.getBehaviorLogprobs(), length, path + "behaviorLogprobs");
    requireLength(response.getLossMask(), length, path + "lossMask");
    requireLength(response.getBehaviorLogprobMask(), length, path + "behaviorLogprobMask");
    requireSampling(response, path);
    require(
        Double.isFinite(response.getReward()),
        RejectionReason.NON_FINITE,
        path + "reward",
        response.getReward() + " must be finite");
    requireSnapshots(response, versions, path);
    int[] tokens = tokens(response.getTokens(), path + "tokens");
    float[] logprobs = new float[length];
    boolean[] valid = new boolean[length];
    for (int t = 0; t < length; t++) {
      boolean known = response.getBehaviorLogprobMask().get(t);
      valid[t] = known && response.getLossMask().get(t);
      if (known) {
        logprobs[t] = logprob(response.getBehaviorLogprobs().get(t), path + "behaviorLogprobs", t);
      }
    }
    return new TrainingResponse(
        tokens,
        logprobs,
        valid,
        versions,
        sampling(response.getSampling()),
        response.getReward(),
        response.getFinishReason() == FinishReason.LENGTH);
  }

  private static BehaviorSampling sampling(Sampling sampling) {
    return new BehaviorSampling(
        sampling.getTemperature(),
        sampling.getTopK(),
        sampling.getTopP(),
        sampling.getMinP(),
        WeightPrecision.of(sampling.getWeightPrecision()).orElse(null));
  }

  private static float logprob(float logprob, String path, int t) {
    if (!Float.isFinite(logprob)) {
      throw broken(RejectionReason.NON_FINITE, path + "[" + t + "]", logprob + " must be finite");
    }
    if (logprob > 0) {
      throw broken(
          RejectionReason.POSITIVE_LOGPROB, path + "[" + t + "]", logprob + " must be <= 0 nats");
    }
    return logprob;
  }

  private void requireSampling(Response response, String path) {
    SamplingRules.Broken rule = sampling.broken(response.getSampling());
    if (rule != null) {
      String field = rule.field().isEmpty() ? path + "sampling" : path + "sampling." + rule.field();
      throw broken(rule.reason(), field, rule.cause());
    }
  }

  /** A response that was cut short is not trained on, so nothing of it is computed again. */
  private void requireSnapshots(Response response, long[] versions, String path) {
    if (response.getFinishReason() == FinishReason.ABORTED
        || !sampling.needsSnapshot(response.getSampling())) {
      return;
    }
    for (long version : Arrays.stream(versions).distinct().toArray()) {
      String missing = snapshots.missing(version);
      require(
          missing == null,
          RejectionReason.BEHAVIOUR_SNAPSHOT_MISSING,
          path + "versionSegments",
          "version " + version + " cannot be computed with again: " + missing);
    }
  }

  private long[] versions(
      Response response, String path, long currentVersion, long askedVersion, boolean exact) {
    int length = response.getTokens().size();
    require(length > 0, RejectionReason.EMPTY_RESPONSE, path + "tokens", "must not be empty");
    List<VersionSegment> segments = response.getVersionSegments();
    require(
        !segments.isEmpty() && segments.get(0).getFromToken() == 0,
        RejectionReason.LENGTH_MISMATCH,
        path + "versionSegments",
        "the first segment must start at token 0");
    long[] versions = new long[length];
    long oldest = Long.MAX_VALUE;
    for (int s = 0; s < segments.size(); s++) {
      VersionSegment segment = segments.get(s);
      String segmentPath = path + "versionSegments[" + s + "].";
      int end = s + 1 < segments.size() ? segments.get(s + 1).getFromToken() : length;
      require(
          segment.getFromToken() < end && end <= length,
          RejectionReason.LENGTH_MISMATCH,
          segmentPath + "fromToken",
          segment.getFromToken() + " must lie below the next segment and the length " + length);
      long version = segment.getPolicyVersion();
      requireVersion(version, segmentPath + "policyVersion", currentVersion, askedVersion, exact);
      Arrays.fill(versions, segment.getFromToken(), end, version);
      oldest = Math.min(oldest, version);
    }
    require(
        response.getPolicyVersion() == oldest,
        RejectionReason.UNKNOWN_POLICY_VERSION,
        path + "policyVersion",
        response.getPolicyVersion() + " is not the oldest of the segments, " + oldest);
    return versions;
  }

  private void requireVersion(
      long version, String path, long currentVersion, long askedVersion, boolean exact) {
    require(
        version >= 0 && version <= currentVersion,
        RejectionReason.UNKNOWN_POLICY_VERSION,
        path,
        version + " is not one of the versions 0.." + currentVersion + " that exist");
    int versionsBack = sampling.versionsBack();
    require(
        version >= askedVersion - versionsBack && !(exact && version > askedVersion),
        RejectionReason.WRONG_POLICY_VERSION,
        path,
        version
            + (exact ? " is not the version asked for, " : " is older than asked for, ")
            + askedVersion
            + (versionsBack == 0
                ? ""
                : (exact ? ", or one of the " : ", and than the ") + versionsBack + " before it"));
  }

  private int[] tokens(List<Integer> ids, String path) {
    int[] tokens = new int[ids.size()];
    for (int t = 0; t < tokens.length; t++) {
      tokens[t] = ids.get(t);
      if (tokens[t] < 0 || tokens[t] >= vocabSize) {
        throw broken(
            RejectionReason.TOKEN_OUT_OF_VOCABULARY,
            path + "[" + t + "]",
            tokens[t] + " is not in [0, " + vocabSize + ")");
      }
    }
    return tokens;
  }

  private static void requireLength(List<?> values, int length, String path) {
    require(
        values.size() == length,
        RejectionReason.LENGTH_MISMATCH,
        path,
        values.size() + " entries for " + length + " tokens");
  }

  private static void require(boolean holds, RejectionReason reason, String field, String cause) {
    if (!holds) {
      throw broken(reason, field, cause);
    }
  }

  private static BrokenRule broken(RejectionReason reason, String field, String cause) {
    return new BrokenRule(new Broken(reason, field, cause));
  }

  private static final class BrokenRule extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Broken broken;

    BrokenRule(Broken broken) {
      super(broken.cause(), null, false, false);
      this.broken = broken;
    }
  }
}
