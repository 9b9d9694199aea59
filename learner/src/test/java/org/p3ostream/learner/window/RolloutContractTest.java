package org.p3ostream.learner.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.learner.window.RolloutGroups.contract;
import static org.p3ostream.learner.window.RolloutGroups.good;
import static org.p3ostream.learner.window.RolloutGroups.replaced;
import static org.p3ostream.learner.window.RolloutGroups.sampling;
import static org.p3ostream.learner.window.RolloutGroups.withResponse;

import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.learner.window.RolloutContract.Broken;
import org.p3ostream.learner.window.RolloutContract.Kept;
import org.p3ostream.learner.window.RolloutContract.Verdict;
import org.p3ostream.learner.window.SamplingRules.Truncated;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.VersionSegment;

class RolloutContractTest {

  private static final long CURRENT_VERSION = 9;
  private static final long ASKED_VERSION = 7;
  private static final RolloutCoordinate COORDINATE = new RolloutCoordinate(1, 17);

  /** Reason, field and what breaks the good group. */
  static Stream<Arguments> broken() {
    return Stream.of(
        group(
            RejectionReason.PRODUCER_FAILURE,
            "failure",
            b -> b.setFailure("out of memory").setResponses(List.of())),
        group(RejectionReason.MODEL_MISMATCH, "modelHash", b -> b.setModelHash("other")),
        group(
            RejectionReason.TOKENIZER_MISMATCH, "tokenizerHash", b -> b.setTokenizerHash("other")),
        group(
            RejectionReason.LENGTH_MISMATCH,
            "responses",
            b -> b.setResponses(b.getResponses().subList(0, 1))),
        group(RejectionReason.LENGTH_MISMATCH, "promptTokens", b -> b.setPromptTokens(List.of())),
        group(
            RejectionReason.TOKEN_OUT_OF_VOCABULARY,
            "promptTokens[1]",
            b -> b.setPromptTokens(List.of(3, 16))),
        response(
            RejectionReason.LENGTH_MISMATCH,
            "tokens",
            b -> resize(b, RolloutGroups.MAX_POSITIONS - 3)),
        response(RejectionReason.EMPTY_RESPONSE, "tokens", b -> resize(b, 0)),
        response(
            RejectionReason.LENGTH_MISMATCH,
            "behaviorLogprobs",
            b -> b.setBehaviorLogprobs(b.getBehaviorLogprobs().subList(0, 2))),
        response(
            RejectionReason.LENGTH_MISMATCH,
            "lossMask",
            b -> b.setLossMask(Collections.nCopies(4, true))),
        response(
            RejectionReason.LENGTH_MISMATCH,
            "behaviorLogprobMask",
            b -> b.setBehaviorLogprobMask(List.of())),
        response(
            RejectionReason.TOKEN_OUT_OF_VOCABULARY,
            "tokens[2]",
            b -> b.setTokens(replaced(b.getTokens(), 2, 16))),
        response(
            RejectionReason.TOKEN_OUT_OF_VOCABULARY,
            "tokens[0]",
            b -> b.setTokens(replaced(b.getTokens(), 0, -1))),
        response(RejectionReason.NON_FINITE, "reward", b -> b.setReward(Double.NaN)),
        response(
            RejectionReason.ABORTED,
            "lossMask[1]",
            b -> b.setFinishReason(FinishReason.ABORTED).setLossMask(List.of(false, true, false))),
        response(
            RejectionReason.ABORTED, "lossMask[0]", b -> b.setFinishReason(FinishReason.ABORTED)),
        group(
            RejectionReason.ABORTED,
            "responses",
            b -> b.setResponses(withResponse(b.build(), 1, RolloutGroups::abort).getResponses())),
        group(
            RejectionReason.ABORTED,
            "responses",
            b ->
                b.setResponses(
                    withResponse(
                            withResponse(b.build(), 0, RolloutGroups::abort),
                            1,
                            RolloutGroups::abort)
                        .getResponses())),
        response(
            RejectionReason.NON_FINITE,
            "reward",
            b -> RolloutGroups.abort(b).setReward(Double.NaN)),
        response(
            RejectionReason.TOKEN_OUT_OF_VOCABULARY,
            "tokens[2]",
            b -> RolloutGroups.abort(b).setTokens(replaced(b.getTokens(), 2, 16))),
        response(RejectionReason.EMPTY_RESPONSE, "tokens", b -> RolloutGroups.abort(resize(b, 0))),
        response(RejectionReason.NON_FINITE, "reward", b -> b.setReward(Double.POSITIVE_INFINITY)),
        logprob(RejectionReason.NON_FINITE, Float.NaN),
        logprob(RejectionReason.NON_FINITE, Float.NEGATIVE_INFINITY),
        logprob(RejectionReason.NON_FINITE, Float.POSITIVE_INFINITY),
        logprob(RejectionReason.POSITIVE_LOGPROB, 1e-6f),
        sampled(
            RejectionReason.LOGPROB_KIND,
            "logprobKind",
            s -> s.setLogprobKind(LogprobKind.RAW_MODEL)),
        sampled(
            RejectionReason.LOGPROB_KIND,
            "logprobKind",
            s -> s.setLogprobKind(LogprobKind.UNKNOWN)),
        sampled(
            RejectionReason.NOT_RENORMALISED,
            "renormalised",
            s -> s.setTopP(0.9).setRenormalised(false)),
        sampled(
            RejectionReason.NOT_RENORMALISED,
            "renormalised",
            s -> s.setTopK(5).setRenormalised(false)),
        sampled(
            RejectionReason.NOT_RENORMALISED,
            "renormalised",
            s -> s.setMinP(0.1).setRenormalised(false)),
        response(
            RejectionReason.LENGTH_MISMATCH,
            "versionSegments",
            b -> b.setVersionSegments(List.of())),
        segments(RejectionReason.LENGTH_MISMATCH, "versionSegments", new VersionSegment(1, 8L)),
        segments(
            RejectionReason.LENGTH_MISMATCH,
            "versionSegments[0].fromToken",
            new VersionSegment(0, 8L),
            new VersionSegment(0, 9L)),
        segments(
            RejectionReason.LENGTH_MISMATCH,
            "versionSegments[1].fromToken",
            new VersionSegment(0, 8L),
            new VersionSegment(3, 9L)),
        segments(
            RejectionReason.LENGTH_MISMATCH,
            "versionSegments[0].fromToken",
            new VersionSegment(0, 8L),
            new VersionSegment(4, 9L)),
        segments(
            RejectionReason.UNKNOWN_POLICY_VERSION,
            "versionSegments[0].policyVersion",
            new VersionSegment(0, CURRENT_VERSION + 1)),
        segments(
            RejectionReason.UNKNOWN_POLICY_VERSION,
            "versionSegments[0].policyVersion",
            new VersionSegment(0, -1L)),
        segments(
            RejectionReason.WRONG_POLICY_VERSION,
            "versionSegments[1].policyVersion",
            new VersionSegment(0, 8L),
            new VersionSegment(1, ASKED_VERSION - 1)),
        response(
            RejectionReason.UNKNOWN_POLICY_VERSION,
            "policyVersion",
            b -> b.setPolicyVersion(CURRENT_VERSION)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("broken")
  void checkNamesReasonAndFieldWhenARuleIsBroken(
      RejectionReason reason, String field, UnaryOperator<RolloutGroup> damage) {
    RolloutGroup record = damage.apply(good(3, 0, 1, ASKED_VERSION));
    Verdict verdict = contract().check(record, COORDINATE, CURRENT_VERSION, ASKED_VERSION, false);
    assertThat(verdict)
        .isInstanceOfSatisfying(
            Broken.class,
            found -> {
              assertThat(found.reason()).as(found.toString()).isEqualTo(reason);
              assertThat(found.field()).isEqualTo(field);
              assertThat(found.cause()).isNotBlank();
            });
  }

  @Test
  void checkRefusesANewerVersionThanAskedForOnlyWhenItMustBeExact() {
    RolloutGroup newer = good(3, 0, 1, ASKED_VERSION + 1);
    assertThat(contract().check(newer, COORDINATE, CURRENT_VERSION, ASKED_VERSION, false))
        .isInstanceOf(Kept.class);
    assertThat(contract().check(newer, COORDINATE, CURRENT_VERSION, ASKED_VERSION, true))
        .isInstanceOfSatisfying(
            Broken.class,
            found -> {
              assertThat(found.reason()).isEqualTo(RejectionReason.WRONG_POLICY_VERSION);
              assertThat(found.field()).isEqualTo("responses[0].versionSegments[0].policyVersion");
            });
  }

  @Test
  void checkRefusesFiniteRewardsWhoseAdvantagesAreNot() {
    RolloutGroup huge =
        withResponse(
            withResponse(good(3, 0, 1, ASKED_VERSION), 0, b -> b.setReward(1e308)),
            1,
            b -> b.setReward(-1e308));
    assertThat(contract().check(huge, COORDINATE, CURRENT_VERSION, ASKED_VERSION, true))
        .isInstanceOfSatisfying(
            Broken.class,
            found -> {
              assertThat(found.reason()).isEqualTo(RejectionReason.NON_FINITE);
              assertThat(found.field()).isEqualTo("responses[].reward");
            });
  }

  @Test
  void checkTurnsAGoodRecordIntoArrays() {
    RolloutGroup record =
        withResponse(
            good(3, 2, 1, ASKED_VERSION),
            0,
            b ->
                b.setVersionSegments(
                        List.of(new VersionSegment(0, 9L), new VersionSegment(2, ASKED_VERSION)))
                    .setLossMask(List.of(true, false, true, true, true))
                    .setFinishReason(FinishReason.LENGTH));
    TrainingGroup group = kept(record);
    assertThat(group.coordinate()).isEqualTo(COORDINATE);
    assertThat(group.groupId()).isEqualTo(3);
    assertThat(group.attempt()).isEqualTo(2);
    assertThat(group.generatedAtMs()).isEqualTo(1_000);
    assertThat(group.policyVersion()).isEqualTo(ASKED_VERSION);
    assertThat(group.promptTokens()).containsExactly(ints(record.getPromptTokens()));
    assertThat(group.rewards()).containsExactly(1, 0);
    TrainingResponse first = group.responses().get(0);
    assertThat(first.length()).isEqualTo(5);
    assertThat(first.truncated()).isTrue();
    assertThat(group.responses().get(1).truncated()).isFalse();
    Response source = record.getResponses().get(0);
    for (int t = 0; t < 5; t++) {
      assertThat(first.token(t)).isEqualTo(source.getTokens().get(t));
      assertThat(first.behaviorLogprob(t)).isEqualTo(source.getBehaviorLogprobs().get(t));
      assertThat(first.isValid(t)).isEqualTo(t != 1);
      assertThat(first.policyVersion(t)).isEqualTo(t < 2 ? 9 : ASKED_VERSION);
    }
  }

  /** What a mixture samples by, and no further; in lockstep nothing newer either. */
  @Test
  void checkTakesVersionsBeforeTheOneAskedForWhereTheRunSaysSo() {
    SamplingRules mixed = new SamplingRules(false, false, Truncated.SAME_KEPT_SET, false, 2);
    for (boolean exact : new boolean[] {false, true}) {
      for (long version = ASKED_VERSION - 2; version <= ASKED_VERSION; version++) {
        assertThat(ofVersion(version, mixed, exact)).isInstanceOf(Kept.class);
      }
      assertThat(ofVersion(ASKED_VERSION - 1, SamplingRules.STANDARD, exact))
          .isInstanceOf(Broken.class);
    }
    assertThat(ofVersion(ASKED_VERSION + 1, mixed, false)).isInstanceOf(Kept.class);
    assertWrongVersion(
        ofVersion(ASKED_VERSION + 1, mixed, true),
        "%d is not the version asked for, %d, or one of the 2 before it"
            .formatted(ASKED_VERSION + 1, ASKED_VERSION));
    assertWrongVersion(
        ofVersion(ASKED_VERSION - 3, mixed, true),
        "%d is not the version asked for, %d, or one of the 2 before it"
            .formatted(ASKED_VERSION - 3, ASKED_VERSION));
    assertWrongVersion(
        ofVersion(ASKED_VERSION - 3, mixed, false),
        "%d is older than asked for, %d, and than the 2 before it"
            .formatted(ASKED_VERSION - 3, ASKED_VERSION));
  }

  /** The second response is of another version than the first, which is the one asked for. */
  private static Verdict ofVersion(long version, SamplingRules rules, boolean exact) {
    RolloutGroup group =
        withResponse(
            good(3, 0, 1, ASKED_VERSION),
            1,
            response ->
                response
                    .setPolicyVersion(version)
                    .setVersionSegments(List.of(new VersionSegment(0, version))));
    return RolloutGroups.contract(rules, BehaviorVersions.NOT_NEEDED)
        .check(group, COORDINATE, CURRENT_VERSION, ASKED_VERSION, exact);
  }

  private static void assertWrongVersion(Verdict verdict, String cause) {
    assertThat(verdict)
        .isEqualTo(
            new Broken(
                RejectionReason.WRONG_POLICY_VERSION,
                "responses[1].versionSegments[0].policyVersion",
                cause));
  }

  /** The aborted response's reward would leave no finite advantage, were it one of the group's. */
  @Test
  void checkLeavesAbortedResponsesOutOfTheGroup() {
    RolloutGroup two = good(3, 0, 1, ASKED_VERSION);
    Response aborted =
        RolloutGroups.abort(Response.newBuilder(two.getResponses().get(0)))
            .setReward(1e308)
            .build();
    RolloutGroup four =
        RolloutGroup.newBuilder(two)
            .setSamplesPerGroup(4)
            .setResponses(
                List.of(aborted, two.getResponses().get(0), aborted, two.getResponses().get(1)))
            .build();
    Verdict verdict =
        new RolloutContract(
                RolloutGroups.MODEL_HASH,
                RolloutGroups.TOKENIZER_HASH,
                RolloutGroups.VOCAB_SIZE,
                4,
                RolloutGroups.MAX_POSITIONS,
                AdvantageRule.STANDARD,
                SamplingRules.STANDARD,
                BehaviorVersions.NOT_NEEDED)
            .check(four, COORDINATE, CURRENT_VERSION, ASKED_VERSION, true);
    assertThat(verdict)
        .isInstanceOfSatisfying(
            Kept.class,
            kept -> {
              assertThat(kept.group().rewards()).containsExactly(1, 0);
              assertThat(kept.group().responses())
                  .extracting(TrainingResponse::length)
                  .containsExactly(5, 3);
            });
  }

  @Test
  void checkLooksAtNoLogprobThatDoesNotBelongToItsToken() {
    RolloutGroup record =
        withResponse(
            good(3, 0, 1, ASKED_VERSION),
            1,
            b ->
                b.setBehaviorLogprobs(List.of(-1f, Float.NaN, 5f))
                    .setBehaviorLogprobMask(List.of(true, false, false)));
    TrainingResponse response = kept(record).responses().get(1);
    assertThat(response.isValid(0)).isTrue();
    assertThat(response.isValid(1)).isFalse();
    assertThat(response.isValid(2)).isFalse();
  }

  @Test
  void checkKeepsFilteredSamplingThatWasRenormalisedAndSequencesUpToTheLimit() {
    RolloutGroup record =
        withResponse(
            good(3, 0, 1, ASKED_VERSION),
            1,
            b ->
                resize(b, RolloutGroups.MAX_POSITIONS - 4)
                    .setSampling(sampling(s -> s.setTopP(0.5).setTopK(3).setMinP(0.1))));
    assertThat(kept(record).responses().get(1).length()).isEqualTo(RolloutGroups.MAX_POSITIONS - 4);
  }

  @Test
  void checkKeepsALogprobOfZeroAndAnUnfilteredDistributionNotRenormalised() {
    RolloutGroup record =
        withResponse(
            good(3, 0, 1, ASKED_VERSION),
            1,
            b ->
                b.setBehaviorLogprobs(List.of(0f, -0f, -1f))
                    .setSampling(sampling(s -> s.setRenormalised(false))));
    assertThat(kept(record).responses()).hasSize(2);
  }

  private static TrainingGroup kept(RolloutGroup record) {
    Verdict verdict = contract().check(record, COORDINATE, CURRENT_VERSION, ASKED_VERSION, false);
    assertThat(verdict).isInstanceOf(Kept.class);
    return ((Kept) verdict).group();
  }

  private static int[] ints(List<Integer> values) {
    return values.stream().mapToInt(Integer::intValue).toArray();
  }

  private static Response.Builder resize(Response.Builder response, int length) {
    return response
        .setTokens(Collections.nCopies(length, 1))
        .setBehaviorLogprobs(Collections.nCopies(length, -1f))
        .setLossMask(Collections.nCopies(length, true))
        .setBehaviorLogprobMask(Collections.nCopies(length, true));
  }

  private static Arguments group(
      RejectionReason reason, String field, Consumer<RolloutGroup.Builder> damage) {
    UnaryOperator<RolloutGroup> operator =
        group -> {
          RolloutGroup.Builder builder = RolloutGroup.newBuilder(group);
          damage.accept(builder);
          return builder.build();
        };
    return Arguments.of(reason, field, operator);
  }

  /** Damage to the second response, which has three tokens. */
  private static Arguments response(
      RejectionReason reason, String field, Consumer<Response.Builder> damage) {
    UnaryOperator<RolloutGroup> operator = group -> withResponse(group, 1, damage);
    return Arguments.of(reason, "responses[1]." + field, operator);
  }

  private static Arguments logprob(RejectionReason reason, float logprob) {
    return response(
        reason,
        "behaviorLogprobs[1]",
        b -> b.setBehaviorLogprobs(replaced(b.getBehaviorLogprobs(), 1, logprob)));
  }

  private static Arguments sampled(
      RejectionReason reason, String field, Consumer<Sampling.Builder> damage) {
    return response(reason, "sampling." + field, b -> b.setSampling(sampling(damage)));
  }

  private static Arguments segments(
      RejectionReason reason, String field, VersionSegment... segments) {
    return response(reason, field, b -> b.setVersionSegments(List.of(segments)));
  }
}
