package org.p3ostream.deploy.loss;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;

class LossWarningsTest {

  private static final Objective PROXY = new P3o(EssScope.STEP, KlMode.PROXY);

  @Test
  void onPolicyTokensGiveNone() throws IOException {
    assertThat(warnings(PROXY, tokens(200, -1, 0.001, ", \"staleness\": 0"))).isEmpty();
  }

  @Test
  void staleTokensGiveNoneWhereTheirMeanLogRatioIsBelowZero() throws IOException {
    assertThat(warnings(PROXY, tokens(200, -1.1, 0.3, ""))).isEmpty();
    assertThat(warnings(PROXY, tokens(200, -1.1, 0.3, ", \"staleness\": 3"))).isEmpty();
  }

  @Test
  void temperatureIsSuspectedFromAShiftAtStalenessZero() throws IOException {
    assertThat(warnings(PROXY, tokens(200, -0.59, 0.2, ", \"staleness\": 0")))
        .anyMatch(
            w -> w.matches("looks like T≠1 log-probs: mean log ratio 0\\.4\\d at staleness 0"));
    assertThat(warnings(PROXY, tokens(200, -1.5, 0.2, ", \"staleness\": 0")))
        .anyMatch(
            w -> w.matches("looks like T≠1 log-probs: mean log ratio -0\\.[45]\\d at staleness 0"));
  }

  @Test
  void temperatureIsSuspectedFromAMeanThatSamplingCannotGive() throws IOException {
    assertThat(warnings(PROXY, tokens(200, -0.59, 0.2, "")))
        .anyMatch(w -> w.startsWith("looks like T≠1 log-probs: mean log ratio 0.4"));
    assertThat(warnings(PROXY, tokens(4, -0.9, 2, ""))).noneMatch(w -> w.contains("T≠1"));
  }

  @Test
  void uniformScalingIsToldBecauseTheEssDoesNotSeeIt() throws IOException {
    assertThat(warnings(PROXY, tokens(50, -0.5, 0.001, "")))
        .anyMatch(w -> w.startsWith("ESS 1.000 although the mean ratio is 1.65: "));
    assertThat(warnings(PROXY, tokens(1, -0.5, 0.001, "")))
        .contains(
            "a single valid token: ESS 1.00 says nothing of it, any ratio far above 1e-4 gives one"
                + " near 1");
  }

  @Test
  void essCloseToZeroIsTold() throws IOException {
    String outlier = "[" + token(-1, -9, "") + "]\n" + tokens(100, -1, 0.001, "");
    assertThat(warnings(PROXY, outlier)).anyMatch(w -> w.startsWith("ESS 0.01"));
  }

  /** e^-14 and, twice, e^-499: nothing outweighs anything, yet the ESS is next to 0. */
  @Test
  void ratiosTooSmallForTheDenominatorAreToldAsThat() throws IOException {
    for (String small :
        List.of(
            "[" + token(-14, -1e-9, "") + "]",
            "[" + token(-500, -1, "") + ", " + token(-500, -1, "") + "]")) {
      assertThat(warnings(PROXY, small))
          .anyMatch(w -> w.contains("is held down by the 1e-8 in its denominator"))
          .noneMatch(w -> w.contains("outweigh") || w.contains("single valid token"));
    }
    assertThat(warnings(PROXY, "[" + token(-14, -1e-9, "") + "]"))
        .anyMatch(w -> w.startsWith("ESS 6.91e-05 ") && w.contains("(mean 8.32e-07)"));
    assertThat(warnings(PROXY, "[" + token(-5, 0, "") + "]"))
        .noneMatch(w -> w.contains("denominator"));
  }

  @Test
  void eachMicroBatchIsHeldAgainstTheDenominatorUnderItsScope() throws IOException {
    Objective perMicroBatch = new P3o(EssScope.MICRO_BATCH, KlMode.PROXY);
    String text = tokens(10, -1, 0.001, "") + "\n[" + token(-31, -1, "") + "]";
    assertThat(warnings(perMicroBatch, text)).anyMatch(w -> w.contains("held down by the 1e-8"));
    assertThat(warnings(PROXY, text)).noneMatch(w -> w.contains("held down"));
  }

  @Test
  void keysBesideTheMicroBatchesAreNamed() throws IOException {
    String text = "{\"run\": {\"a\": 1}, \"micro_batches\": [[" + token(-1, -1, "") + "]]}";
    assertThat(warnings(PROXY, text)).contains("keys beside micro_batches were passed over: run");
  }

  @Test
  void saturatedTokensAreToldWithTheModeThatHelps() throws IOException {
    String far = "[" + token(-13, -1, "") + ", " + token(-1, -1, "") + "]";
    assertThat(warnings(PROXY, far))
        .contains(
            "tokens whose log ratio is below -10, where k3 is clamped: 1; the gradient of proxy pushes"
                + " them further down, that of proxy-safe does not");
    assertThat(warnings(new P3o(EssScope.STEP, KlMode.PROXY_SAFE), far))
        .contains("tokens whose log ratio is below -10, where k3 is clamped: 1");
  }

  @Test
  void positiveLogprobsAreCounted() throws IOException {
    assertThat(warnings(PROXY, "[" + token(0.1, 0.2, "") + ", " + token(-1, -1, "") + "]"))
        .anyMatch(w -> w.startsWith("log-probs above 0: 2; "));
  }

  @Test
  void fieldsThatMeanNothingAreNamed() throws IOException {
    assertThat(warnings(PROXY, "[" + token(-1, -1, ", \"msk\": 0, \"id\": {\"a\": []}") + "]"))
        .contains("fields that mean nothing here were passed over: id, msk");
  }

  /** Tokens whose behaviour log-prob is −1 and whose log ratio spreads around the difference. */
  private static String tokens(int count, double logprob, double spread, String more) {
    Random random = new Random(7);
    StringBuilder line = new StringBuilder("[");
    for (int t = 0; t < count; t++) {
      double policy = logprob + spread * random.nextGaussian();
      line.append(t == 0 ? "" : ", ").append(token(policy, -1, more));
    }
    return line + "]";
  }

  private static String token(double logprob, double behavior, String more) {
    return String.format(
        Locale.ROOT,
        "{\"logprob\": %s, \"behavior_logprob\": %s, \"advantage\": 1%s}",
        logprob,
        behavior,
        more);
  }

  private static List<String> warnings(Objective objective, String text) throws IOException {
    LossInput input =
        LossInputReader.read(
            "file", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    return LossWarnings.of(
        input, objective, LossEvaluation.of(input, objective, objective::evaluate));
  }
}
