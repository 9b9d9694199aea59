package org.p3ostream.learner.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.learner.window.RolloutGroups.good;
import static org.p3ostream.learner.window.RolloutGroups.withResponse;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.learner.window.RolloutContract.Broken;
import org.p3ostream.learner.window.RolloutContract.Kept;
import org.p3ostream.learner.window.RolloutContract.Verdict;
import org.p3ostream.learner.window.SamplingRules.Truncated;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.VersionSegment;

class SamplingRulesTest {

  private static final SamplingRules RAW =
      new SamplingRules(true, false, Truncated.SAME_KEPT_SET, false, 0);
  private static final SamplingRules REJECTING =
      new SamplingRules(false, false, Truncated.REJECTED, false, 0);
  private static final SamplingRules RECOMPUTED =
      new SamplingRules(false, false, Truncated.SAME_KEPT_SET, true, 0);

  private final List<Long> asked = new ArrayList<>();
  private final BehaviorVersions present =
      version -> {
        asked.add(version);
        return null;
      };

  @Test
  void rawLogprobsAreTakenWhereTheConfigurationNamesThemAndThenAlone() {
    Consumer<Sampling.Builder> raw = s -> s.setLogprobKind(LogprobKind.RAW_MODEL);
    assertThat(check(RAW, raw)).isInstanceOf(Kept.class);
    assertBroken(check(SamplingRules.STANDARD, raw), RejectionReason.LOGPROB_KIND, "logprobKind");
    assertBroken(check(RAW, s -> {}), RejectionReason.LOGPROB_KIND, "logprobKind");
    assertBroken(
        check(RAW, s -> s.setLogprobKind(LogprobKind.UNKNOWN)),
        RejectionReason.LOGPROB_KIND,
        "logprobKind");
  }

  /** Whatever the configuration says of the temperature: the record tells what was done. */
  @Test
  void rawLogprobsOfAnotherTemperatureThanOneMeetNoPolicyAtThatTemperature() {
    SamplingRules rules = new SamplingRules(true, true, Truncated.SAME_KEPT_SET, false, 0);
    Consumer<Sampling.Builder> raw = s -> s.setLogprobKind(LogprobKind.RAW_MODEL);
    assertThat(check(rules, raw)).isInstanceOf(Kept.class);
    assertThat(check(RAW, raw.andThen(s -> s.setTemperature(0.6)))).isInstanceOf(Kept.class);
    assertBroken(
        check(rules, raw.andThen(s -> s.setTemperature(0.6))),
        RejectionReason.SAMPLING_PARAMETERS,
        "temperature");
  }

  /** They are of the whole vocabulary, so nothing had to be renormalised and nothing is shared. */
  @Test
  void rawLogprobsOfTruncatedSamplingNeedNoSnapshotAndNoRenormalisation() {
    Verdict verdict =
        check(
            RAW, s -> s.setLogprobKind(LogprobKind.RAW_MODEL).setTopP(0.9).setRenormalised(false));
    assertThat(verdict).isInstanceOf(Kept.class);
    assertThat(asked).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"topK", "topP", "minP"})
  void truncatedSamplingIsRejectedWhereTheConfigurationSaysSo(String filter) {
    Consumer<Sampling.Builder> filtered =
        s -> {
          switch (filter) {
            case "topK" -> s.setTopK(5);
            case "topP" -> s.setTopP(0.9);
            default -> s.setMinP(0.1);
          }
        };
    assertBroken(check(REJECTING, filtered), RejectionReason.TRUNCATED_SAMPLING, "");
    assertThat(check(REJECTING, s -> {})).isInstanceOf(Kept.class);
    assertThat(check(SamplingRules.STANDARD, filtered)).isInstanceOf(Kept.class);
  }

  @Test
  void figuresOutOfRangeAreRejected() {
    for (double temperature : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertOutOfRange(s -> s.setTemperature(temperature), "temperature");
    }
    for (double topP : new double[] {0, 1.1, Double.NaN}) {
      assertOutOfRange(s -> s.setTopP(topP), "topP");
    }
    for (double minP : new double[] {-0.1, 1, Double.NaN}) {
      assertOutOfRange(s -> s.setMinP(minP), "minP");
    }
    assertOutOfRange(s -> s.setTopK(-1), "topK");
  }

  private void assertOutOfRange(Consumer<Sampling.Builder> change, String field) {
    assertBroken(check(SamplingRules.STANDARD, change), RejectionReason.SAMPLING_PARAMETERS, field);
  }

  /** Nobody here computes a repetition penalty again. */
  @Test
  void aRepetitionPenaltyIsRejectedWhereTheDistributionIsComputedAgain() {
    Consumer<Sampling.Builder> penalised = s -> s.setRepetitionPenalty(1.1);
    RejectionReason reason = RejectionReason.SAMPLING_PARAMETERS;
    assertThat(check(SamplingRules.STANDARD, penalised)).isInstanceOf(Kept.class);
    assertBroken(check(RECOMPUTED, penalised), reason, "repetitionPenalty");
    assertBroken(
        check(SamplingRules.STANDARD, penalised.andThen(s -> s.setTopK(3))),
        reason,
        "repetitionPenalty");
  }

  /** Whatever it was, it cannot be done again; where nothing is computed again, it may be. */
  @Test
  void anUnknownPrecisionIsRejectedWhereTheDistributionIsComputedAgain() {
    Consumer<Sampling.Builder> unknown = s -> s.setWeightPrecision("bfloat16");
    RejectionReason reason = RejectionReason.SAMPLING_PARAMETERS;
    Verdict taken = check(SamplingRules.STANDARD, unknown);
    assertThat(sampling(taken).weightPrecision()).isNull();
    assertBroken(check(RECOMPUTED, unknown), reason, "weightPrecision");
    assertBroken(
        check(SamplingRules.STANDARD, unknown.andThen(s -> s.setTopK(3))),
        reason,
        "weightPrecision");
    assertThat(check(RECOMPUTED, unknown))
        .isInstanceOfSatisfying(
            Broken.class,
            broken ->
                assertThat(broken.cause())
                    .isEqualTo(
                        "'bfloat16': the distribution is computed again, and that knows float32,"
                            + " fp8, int8, int4"));
    assertThat(sampling(check(RECOMPUTED, s -> s.setWeightPrecision("int4"))).weightPrecision())
        .isEqualTo(WeightPrecision.INT4);
  }

  /** Of the second response. */
  private static BehaviorSampling sampling(Verdict verdict) {
    return ((Kept) verdict).group().responses().get(1).sampling();
  }

  @Test
  void snapshotsAreAskedForWhereTheDistributionIsComputedAgainAndNowhereElse() {
    check(SamplingRules.STANDARD, s -> {});
    assertThat(asked).isEmpty();
    check(RECOMPUTED, s -> {});
    assertThat(asked).containsOnly(3L);
    asked.clear();
    check(SamplingRules.STANDARD, s -> s.setTopK(3)); // of one response
    assertThat(asked).containsExactly(3L);
  }

  @Test
  void aGroupWithoutItsSnapshotIsRejectedWithTheVersion() {
    RolloutGroup twoVersions =
        withResponse(
            good(0, 0, 0, 3),
            1,
            response ->
                response.setVersionSegments(
                    List.of(new VersionSegment(0, 3L), new VersionSegment(1, 4L))));
    Verdict verdict =
        RolloutGroups.contract(RECOMPUTED, version -> version == 4 ? "trimmed" : null)
            .check(twoVersions, new RolloutCoordinate(0, 0), 9, 0, false);
    assertThat(verdict)
        .isEqualTo(
            new Broken(
                RejectionReason.BEHAVIOUR_SNAPSHOT_MISSING,
                "responses[1].versionSegments",
                "version 4 cannot be computed with again: trimmed"));
  }

  /** It is not trained on, so nothing of it has to be computed again. */
  @Test
  void anAbortedResponseNeedsNoSnapshot() {
    RolloutGroup group =
        withResponse(
            good(0, 0, 0, 3),
            1,
            response ->
                response
                    .setFinishReason(FinishReason.ABORTED)
                    .setLossMask(Collections.nCopies(response.getTokens().size(), false))
                    .setPolicyVersion(4)
                    .setVersionSegments(List.of(new VersionSegment(0, 4L))));
    Verdict verdict =
        RolloutGroups.contract(RECOMPUTED, version -> version == 4 ? "trimmed" : null)
            .check(group, new RolloutCoordinate(0, 0), 9, 0, false);
    assertThat(verdict) // one of two is left, which is another reason
        .isInstanceOfSatisfying(
            Broken.class, broken -> assertThat(broken.reason()).isEqualTo(RejectionReason.ABORTED));
  }

  /** The second of two responses is sampled as {@code change} says. */
  private Verdict check(SamplingRules rules, Consumer<Sampling.Builder> change) {
    Consumer<Sampling.Builder> first =
        rules.rawLogprobs() ? s -> s.setLogprobKind(LogprobKind.RAW_MODEL) : s -> {};
    RolloutGroup group =
        withResponse(
            withResponse(good(0, 0, 0, 3), 0, r -> r.setSampling(RolloutGroups.sampling(first))),
            1,
            r -> r.setSampling(RolloutGroups.sampling(change)));
    return RolloutGroups.contract(rules, present)
        .check(group, new RolloutCoordinate(0, 0), 9, 0, false);
  }

  private static void assertBroken(Verdict verdict, RejectionReason reason, String field) {
    assertThat(verdict)
        .isInstanceOfSatisfying(
            Broken.class,
            broken -> {
              assertThat(broken.reason()).isEqualTo(reason);
              assertThat(broken.field())
                  .isEqualTo("responses[1].sampling" + (field.isEmpty() ? "" : "." + field));
            });
  }
}
