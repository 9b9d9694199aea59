package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class TokenBatchTest {

  private static final double[] ONE = {1};
  private static final double[] TWO = {1, 2};
  private static final boolean[] VALID = {true, false};

  private final TokenBatch batch =
      new TokenBatch(new double[] {-1, -2}, new double[] {-1.5, -4}, TWO, VALID);

  @Test
  void constructorNamesTheLengthsThatDiffer() {
    assertThatThrownBy(() -> new TokenBatch(TWO, ONE, TWO, VALID))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("lengths differ: logprobs 2, behaviorLogprobs 1, advantages 2, valid 2");
    assertThatThrownBy(() -> new TokenBatch(TWO, TWO, ONE, VALID))
        .hasMessageContaining("advantages 1");
    assertThatThrownBy(() -> new TokenBatch(TWO, TWO, TWO, new boolean[3]))
        .hasMessageContaining("valid 3");
  }

  @Test
  void withNamesTheLengthThatDiffers() {
    Map<String, Consumer<double[]>> additions =
        Map.of(
            "changed", batch::withLogprobs,
            "proximalLogprobs", batch::withProximalLogprobs,
            "exactKl", batch::withExactKl,
            "referenceLogprobs", batch::withReferenceLogprobs,
            "entropies", batch::withEntropies,
            "sequences", values -> batch.withSequences(new int[values.length]));
    additions.forEach(
        (name, addition) ->
            assertThatThrownBy(() -> addition.accept(ONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lengths differ: logprobs 2, " + name + " 1"));
  }

  @Test
  void withKeepsWhatWasAddedBefore() {
    TokenBatch complete =
        batch
            .withSequences(new int[] {4, 5})
            .withProximalLogprobs(new double[] {-6, -7})
            .withExactKl(new double[] {8, 9})
            .withReferenceLogprobs(new double[] {-10, -11})
            .withEntropies(new double[] {12, 13});
    for (TokenBatch each :
        new TokenBatch[] {
          complete,
          complete.withSequences(new int[] {4, 5}),
          complete.withLogprobs(new double[] {-1, -2})
        }) {
      assertThat(each.sequence(1)).isEqualTo(5);
      assertThat(each.proximalLogprob(1)).isEqualTo(-7);
      assertThat(each.exactKl(1)).isEqualTo(9);
      assertThat(each.referenceLogprob(1)).isEqualTo(-11);
      assertThat(each.entropy(1)).isEqualTo(13);
      assertThat(each.logprob(1)).isEqualTo(-2);
      assertThat(each.behaviorLogprob(1)).isEqualTo(-4);
      assertThat(each.advantage(1)).isEqualTo(2);
      assertThat(each.logRatios()).containsExactly(0.5, 2);
      assertThat(each.validMask()).containsExactly(true, false).isNotSameAs(VALID);
    }
    assertThat(complete.withLogprobs(new double[] {-3, -3}).logRatio(0)).isEqualTo(-1.5);
  }

  @Test
  void proximalLogprobIsThePolicysWhereNoneWasGiven() {
    assertThat(batch.proximalLogprob(1)).isEqualTo(-2);
  }

  @Test
  void figuresThatWereNotAddedAreNamed() {
    assertMissing(() -> batch.sequence(0), "withSequences");
    assertMissing(() -> batch.exactKl(0), "withExactKl");
    assertMissing(() -> batch.referenceLogprob(0), "withReferenceLogprobs");
    assertMissing(() -> batch.entropy(0), "withEntropies");
  }

  private static void assertMissing(Runnable access, String method) {
    assertThatThrownBy(access::run)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(method);
  }
}
