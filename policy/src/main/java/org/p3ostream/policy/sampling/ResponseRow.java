package org.p3ostream.policy.sampling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.policy.sampling.SampledResponse.Finish;

/** One row of a batch while it is sampled. What comes after its end is dropped. */
final class ResponseRow {

  private final int[] tokens;
  private final float[] logprobs;
  private final int eosTokenId;
  private final StopStrings stops;
  private final List<Integer> exchanges = new ArrayList<>();
  private int length;
  private @Nullable Finish finish;

  /**
   * @param limit longest response, tokens
   */
  ResponseRow(int limit, int eosTokenId, StopStrings stops) {
    this.tokens = new int[limit];
    this.logprobs = new float[limit];
    this.eosTokenId = eosTokenId;
    this.stops = stops;
  }

  void append(int token, float logprob) {
    if (finish != null) {
      return;
    }
    tokens[length] = token;
    logprobs[length] = logprob;
    length++;
    if (token == eosTokenId || stops.endWith(Arrays.copyOf(tokens, length))) {
      finish = Finish.STOP;
    } else if (length == tokens.length) {
      finish = Finish.LENGTH;
    }
  }

  /** Other weights sample what follows. */
  void exchanged() {
    if (finish == null) {
      exchanges.add(length);
    }
  }

  boolean hasEnded() {
    return finish != null;
  }

  /** The response; aborted if it has not ended. */
  SampledResponse response() {
    return new SampledResponse(
        Arrays.copyOf(tokens, length),
        Arrays.copyOf(logprobs, length),
        finish == null ? Finish.ABORTED : finish,
        exchanges.stream().mapToInt(Integer::intValue).toArray());
  }
}
