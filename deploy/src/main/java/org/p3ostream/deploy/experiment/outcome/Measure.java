package org.p3ostream.deploy.experiment.outcome;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is told of every run: name, heading, definition, value. ρ = exp(log π_θ − log π_b) per
 * token, before any cap or clip; KL = KL(π_θ ‖ π_b) over the whole vocabulary, per token.
 */
public enum Measure {
  HELD_OUT(
      "heldOut",
      "held-out reward",
      "mean over the last evaluations of the fraction of right answers to held-out prompts, sampled"
          + " at temperature 1",
      3,
      RunFigures::heldOut),
  FINAL_REWARD(
      "finalReward",
      "final reward",
      "mean training reward of the last 10 steps (of all, if there are fewer), at the scenario's sampling temperature",
      3,
      RunFigures::finalReward),
  GAIN("gain", "gain", "held-out reward less that of the warm start", 3, RunFigures::gain),
  COLLAPSED(
      "collapseRate",
      "collapse rate",
      "fraction of runs that collapsed: held-out reward below that of the warm start by more than"
          + " gate.collapseBelow, or final reward below gate.collapseShare of the best mean of 10 steps",
      2,
      RunFigures::collapsed),
  KL_MEAN(
      "klExactMean",
      "mean exact KL",
      "mean over steps of the mean KL of a token, nats",
      4,
      run -> run.mean(StepFigures::klExactMean)),
  KL_MAX(
      "klExactMaxOfSteps",
      "max exact KL",
      "largest mean KL of a step, nats",
      4,
      run -> run.max(StepFigures::klExactMean)),
  KL_TOKEN_MAX(
      "klExactMaxOfTokens",
      "max exact KL of a token",
      "largest KL of any token of any step, nats",
      3,
      run -> run.max(StepFigures::klExactMax)),
  GRAD_NORM_MAX(
      "gradNormMax",
      "max gradient norm",
      "largest L2 norm of the gradient of a step, before clipping",
      2,
      run -> run.max(StepFigures::gradNorm)),
  ESS_MEAN(
      "essMean",
      "mean ESS",
      "mean over steps of the normalised effective sample size (Σρ)² / (N Σρ²)",
      4,
      run -> run.mean(StepFigures::ess)),
  ESS_MIN("essMin", "min ESS", "smallest of a step", 4, run -> run.min(StepFigures::ess)),
  CAP_MEAN(
      "capMean",
      "mean cap",
      "mean over steps of the cap on ρ; none for algorithms without one",
      4,
      run -> run.mean(StepFigures::cap)),
  CLIP_FRACTION(
      "clipFraction",
      "clip fraction",
      "mean over steps of the fraction of tokens whose gradient a clip removed; none for algorithms"
          + " without one",
      4,
      run -> run.mean(StepFigures::clipFraction)),
  RATIO_ABOVE_ONE(
      "ratioAboveOneFraction",
      "fraction of ρ > 1",
      "mean over steps of the fraction of tokens with ρ above 1",
      3,
      run -> run.mean(StepFigures::ratioAboveOne)),
  RATIO_MAX("ratioMax", "max ρ", "largest ρ of any step", 2, run -> run.max(StepFigures::ratioMax)),
  STALENESS(
      "stalenessMean",
      "mean staleness",
      "mean over tokens, policy versions",
      2,
      RunFigures::staleness),
  TRAINED_RATE(
      "trainedTokensPerSecond",
      "tokens/s trained",
      "tokens in a loss per second from GENESIS to the last step",
      0,
      run -> run.cost().trainedTokensPerSecond()),
  GENERATED_RATE(
      "generatedTokensPerSecond",
      "tokens/s generated",
      "response tokens in the log per second from GENESIS to the last step",
      0,
      run -> run.cost().generatedTokensPerSecond()),
  PEAK_MEMORY(
      "peakMemoryMiB",
      "peak memory, MiB",
      "most resident memory of the experiment's process while the run went on: learner, producer and"
          + " evaluation of all runs that went on at the time; broker and registry are not in it",
      0,
      run -> run.cost().peakMemoryBytes() / (double) (1 << 20));

  private final String id;
  private final String title;
  private final String definition;
  private final int digits;

  @SuppressWarnings("ImmutableEnumChecker") // method references without state
  private final Function<RunFigures, @Nullable Double> reading;

  Measure(
      String id,
      String title,
      String definition,
      int digits,
      Function<RunFigures, @Nullable Double> reading) {
    this.id = id;
    this.title = title;
    this.definition = definition;
    this.digits = digits;
    this.reading = reading;
  }

  /** Name in tables for machines. */
  public String id() {
    return id;
  }

  /** Heading for people. */
  public String title() {
    return title;
  }

  /** What it is, with its unit. */
  public String definition() {
    return definition;
  }

  /** Decimal digits that are worth showing. */
  public int digits() {
    return digits;
  }

  /** Whether it is of the machine and the moment rather than of the run. */
  public boolean isCost() {
    return ordinal() >= TRAINED_RATE.ordinal();
  }

  /** Value for a run; null if it has none. */
  public @Nullable Double of(RunFigures run) {
    return reading.apply(run);
  }
}
