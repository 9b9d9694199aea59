package org.p3ostream.learner.objective;

import static java.lang.Math.exp;
import static java.lang.Math.log;
import static java.lang.Math.max;
import static java.lang.Math.min;

import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Every objective in the notation of its paper, slow and obvious, sharing no code with what it
 * checks. {@code pi} holds the policy's log-probs where they carry a gradient; {@code sg} holds the
 * same batch where they stand under a stop-gradient. With both equal the result is the loss; with
 * {@code sg} held and {@code pi} varied, its slope is the gradient.
 */
public final class PaperOracle {

  private PaperOracle() {}

  /** One of every kind, and of every variant of P3O, whose exact KL is an input. */
  public static Stream<Objective> objectives() {
    Stream<Objective> p3o =
        Stream.of(EssScope.values())
            .flatMap(scope -> Stream.of(KlMode.values()).map(mode -> new P3o(scope, mode)));
    Stream<Objective> uncapped =
        Stream.of(KlMode.PROXY_SAFE, KlMode.EXACT)
            .map(mode -> new P3o(EssScope.STEP, mode, RatioCap.NONE));
    return Stream.concat(
        Stream.concat(p3o, uncapped),
        Stream.of(
            new Grpo(0.2, 0.2),
            new Grpo(0.1, 0.28),
            new PpoClip(0.2, 1.5),
            new Dapo(0.2, 0.28),
            new Cispo(0.2, 0.28),
            new Gspo(0.05, 0.1),
            new TruncatedImportanceSampling(1.25),
            new DecoupledPpo(0.2, 1.25)));
  }

  /** Loss of the tokens, divided by the tokens n of the step. */
  static double loss(Objective objective, TokenBatch pi, TokenBatch sg, double e, long n) {
    return valid(sg).mapToDouble(t -> tokenLoss(objective, pi, sg, e, t)).sum() / n;
  }

  /** Normalised effective sample size, paper Eq. 11; 1 at most. */
  static double ess(TokenBatch batch) {
    double s1 = valid(batch).mapToDouble(t -> rho(batch, t)).sum();
    double s2 = valid(batch).mapToDouble(t -> rho(batch, t) * rho(batch, t)).sum();
    return min(1, s1 * s1 / (valid(batch).count() * (s2 + 1e-8)));
  }

  static double tokenLoss(Objective objective, TokenBatch pi, TokenBatch sg, double e, int t) {
    double a = sg.advantage(t);
    double logPi = pi.logprob(t);
    if (objective instanceof P3o p3o) {
      double weight = p3o.cap() == RatioCap.NONE ? rho(sg, t) : min(rho(sg, t), e);
      return -weight * logPi * a + (1 - e) * kl(p3o.klMode(), pi, sg, t);
    }
    if (objective instanceof Grpo grpo) {
      return -min(rho(pi, t) * a, clip(rho(pi, t), 1 - grpo.clipLow(), 1 + grpo.clipHigh()) * a);
    }
    if (objective instanceof Dapo dapo) {
      return -min(rho(pi, t) * a, clip(rho(pi, t), 1 - dapo.clipLow(), 1 + dapo.clipHigh()) * a);
    }
    if (objective instanceof PpoClip ppo) {
      double surrogate = min(rho(pi, t) * a, clip(rho(pi, t), 1 - ppo.clip(), 1 + ppo.clip()) * a);
      return a < 0 ? -max(surrogate, ppo.dualClip() * a) : -surrogate;
    }
    if (objective instanceof Cispo cispo) {
      return -clip(rho(sg, t), 1 - cispo.clipLow(), 1 + cispo.clipHigh()) * a * logPi;
    }
    if (objective instanceof TruncatedImportanceSampling truncated) {
      return -min(rho(sg, t), truncated.cap()) * a * logPi;
    }
    if (objective instanceof Gspo gspo) {
      double s = sequenceRatio(sg, sg.sequence(t)) * exp(logPi) / exp(sg.logprob(t));
      return -min(s * a, clip(s, 1 - gspo.clipLow(), 1 + gspo.clipHigh()) * a);
    }
    if (objective instanceof DecoupledPpo ppo) {
      double piProx = exp(sg.proximalLogprob(t));
      double weight = min(piProx / exp(sg.behaviorLogprob(t)), ppo.behaviorCap());
      double r = exp(logPi) / piProx;
      return -weight * min(r * a, clip(r, 1 - ppo.clip(), 1 + ppo.clip()) * a);
    }
    throw new AssertionError("no oracle of " + objective);
  }

  /** GSPO Eq. 7: the geometric mean of the ratios of a response. */
  static double sequenceRatio(TokenBatch batch, int sequence) {
    int[] y = valid(batch).filter(t -> batch.sequence(t) == sequence).toArray();
    double product = IntStream.of(y).mapToDouble(t -> rho(batch, t)).reduce(1, (a, b) -> a * b);
    return Math.pow(product, 1.0 / y.length);
  }

  private static double kl(KlMode mode, TokenBatch pi, TokenBatch sg, int t) {
    double l = log(rho(pi, t));
    double held = log(rho(sg, t));
    double k3 = l + exp(clip(-l, -10, 10)) - 1;
    double k3Held = held + exp(clip(-held, -10, 10)) - 1;
    return switch (mode) {
      case PROXY -> k3;
      case PROXY_SAFE -> k3Held + (1 - exp(min(-held, 10))) * (l - held);
      case EXACT -> sg.exactKl(t);
      case NONE -> 0;
    };
  }

  private static double rho(TokenBatch batch, int t) {
    return exp(batch.logprob(t)) / exp(batch.behaviorLogprob(t));
  }

  private static double clip(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
  }

  static IntStream valid(TokenBatch batch) {
    return IntStream.range(0, batch.length()).filter(batch::isValid);
  }

  /** The batch with the log-prob of one token moved. */
  static TokenBatch moved(TokenBatch batch, int token, double by) {
    double[] logprobs =
        IntStream.range(0, batch.length())
            .mapToDouble(t -> batch.logprob(t) + (t == token ? by : 0))
            .toArray();
    return batch.withLogprobs(logprobs);
  }

  static double sum(double[] values) {
    return DoubleStream.of(values).sum();
  }
}
