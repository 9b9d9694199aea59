package org.p3ostream.tests.fuzz;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.VersionSegment;

/** One rule of the contract and a way to break it in an answer that keeps all others. */
enum Breach {
  NAN_LOGPROB(
      RejectionReason.NON_FINITE, inResponse(r -> r.setBehaviorLogprobs(all(r, Float.NaN)))),
  INFINITE_LOGPROB(
      RejectionReason.NON_FINITE,
      inResponse(r -> r.setBehaviorLogprobs(all(r, Float.NEGATIVE_INFINITY)))),
  POSITIVE_LOGPROB(
      RejectionReason.POSITIVE_LOGPROB, inResponse(r -> r.setBehaviorLogprobs(all(r, 1e-6f)))),
  NAN_REWARD(RejectionReason.NON_FINITE, inResponse(r -> r.setReward(Double.NaN))),
  INFINITE_REWARD(
      RejectionReason.NON_FINITE, inResponse(r -> r.setReward(Double.NEGATIVE_INFINITY))),
  MISSING_LOGPROB(
      RejectionReason.LENGTH_MISMATCH,
      inResponse(r -> r.setBehaviorLogprobs(r.getBehaviorLogprobs().subList(1, length(r))))),
  LONG_MASK(
      RejectionReason.LENGTH_MISMATCH,
      inResponse(r -> r.setLossMask(Collections.nCopies(length(r) + 1, true)))),
  NO_SEGMENTS(RejectionReason.LENGTH_MISMATCH, inResponse(r -> r.setVersionSegments(List.of()))),
  SEGMENT_BEHIND_THE_END(
      RejectionReason.LENGTH_MISMATCH,
      inResponse(
          r ->
              r.setVersionSegments(
                  List.of(
                      r.getVersionSegments().get(0),
                      new VersionSegment(length(r) + 1, r.getPolicyVersion()))))),
  NO_PROMPT(RejectionReason.LENGTH_MISMATCH, g -> g.setPromptTokens(List.of())),
  ONE_RESPONSE_LESS(
      RejectionReason.LENGTH_MISMATCH,
      g -> g.setResponses(g.getResponses().subList(1, g.getResponses().size()))),
  LONGER_THAN_THE_MODEL(
      RejectionReason.LENGTH_MISMATCH, g -> g.setPromptTokens(Collections.nCopies(10_000, 1))),
  EMPTY_RESPONSE(
      RejectionReason.EMPTY_RESPONSE,
      inResponse(
          r ->
              r.setTokens(List.of())
                  .setBehaviorLogprobs(List.of())
                  .setLossMask(List.of())
                  .setBehaviorLogprobMask(List.of()))),
  TOKEN_BEYOND_THE_VOCABULARY(
      RejectionReason.TOKEN_OUT_OF_VOCABULARY,
      inResponse(r -> r.setTokens(Collections.nCopies(length(r), 1 << 20)))),
  NEGATIVE_PROMPT_TOKEN(
      RejectionReason.TOKEN_OUT_OF_VOCABULARY, g -> g.setPromptTokens(List.of(1, -1))),
  RAW_LOGPROBS(
      RejectionReason.LOGPROB_KIND, inSampling(s -> s.setLogprobKind(LogprobKind.RAW_MODEL))),
  NOT_RENORMALISED(
      RejectionReason.NOT_RENORMALISED, inSampling(s -> s.setTopP(0.9).setRenormalised(false))),
  ZERO_TEMPERATURE(RejectionReason.SAMPLING_PARAMETERS, inSampling(s -> s.setTemperature(0))),
  NAN_TOP_P(RejectionReason.SAMPLING_PARAMETERS, inSampling(s -> s.setTopP(Double.NaN))),
  VERSION_OF_THE_FUTURE(
      RejectionReason.UNKNOWN_POLICY_VERSION,
      inResponse(r -> r.setVersionSegments(List.of(new VersionSegment(0, 1L << 40))))),
  NEGATIVE_VERSION(
      RejectionReason.UNKNOWN_POLICY_VERSION,
      inResponse(r -> r.setVersionSegments(List.of(new VersionSegment(0, -1L))))),
  NOT_THE_OLDEST_VERSION(
      RejectionReason.UNKNOWN_POLICY_VERSION,
      inResponse(r -> r.setPolicyVersion(r.getPolicyVersion() + 1))),
  OTHER_MODEL(RejectionReason.MODEL_MISMATCH, g -> g.setModelHash("m".repeat(300_000))),
  OTHER_TOKENIZER(RejectionReason.TOKENIZER_MISMATCH, g -> g.setTokenizerHash("")),
  GIVEN_UP(
      RejectionReason.PRODUCER_FAILURE,
      g -> g.setFailure("no luck ".repeat(40_000)).setResponses(List.of())),
  ALL_ABORTED(RejectionReason.ABORTED, g -> g.setResponses(aborted(g.getResponses(), false))),
  ABORTED_AND_TRAINED(
      RejectionReason.ABORTED, g -> g.setResponses(aborted(g.getResponses(), true)));

  private final RejectionReason reason;
  private final UnaryOperator<RolloutGroup.Builder> change;

  Breach(RejectionReason reason, UnaryOperator<RolloutGroup.Builder> change) {
    this.reason = reason;
    this.change = change;
  }

  RejectionReason reason() {
    return reason;
  }

  /** The answer with this rule broken, and no other. */
  RolloutGroup of(RolloutGroup good) {
    return change.apply(RolloutGroup.newBuilder(good)).build();
  }

  private static UnaryOperator<RolloutGroup.Builder> inResponse(Consumer<Response.Builder> change) {
    return group -> {
      List<Response> responses = new ArrayList<>(group.getResponses());
      Response.Builder last = Response.newBuilder(responses.remove(responses.size() - 1));
      change.accept(last);
      responses.add(last.build());
      return group.setResponses(responses);
    };
  }

  private static UnaryOperator<RolloutGroup.Builder> inSampling(Consumer<Sampling.Builder> change) {
    return inResponse(
        response -> {
          Sampling.Builder sampling = Sampling.newBuilder(response.getSampling());
          change.accept(sampling);
          response.setSampling(sampling.build());
        });
  }

  private static int length(Response.Builder response) {
    return response.getTokens().size();
  }

  private static List<Float> all(Response.Builder response, float logprob) {
    return Collections.nCopies(length(response), logprob);
  }

  private static List<Response> aborted(List<Response> responses, boolean trained) {
    return responses.stream()
        .map(
            response ->
                Response.newBuilder(response)
                    .setFinishReason(FinishReason.ABORTED)
                    .setReward(0)
                    .setLossMask(Collections.nCopies(response.getTokens().size(), trained))
                    .build())
        .toList();
  }
}
