package org.p3ostream.learner.config;

import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.objective.Cispo;
import org.p3ostream.learner.objective.Dapo;
import org.p3ostream.learner.objective.DecoupledPpo;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.GroupAdvantage;
import org.p3ostream.learner.objective.Grpo;
import org.p3ostream.learner.objective.Gspo;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.PpoClip;
import org.p3ostream.learner.objective.RatioCap;
import org.p3ostream.learner.objective.TruncatedImportanceSampling;

/**
 * The policy objective. A key that is null takes what {@link #resolved()} says; one that the
 * objective does not have must stay null, so that nothing is configured without effect.
 *
 * @param essScope P3O: what one effective sample size is measured over
 * @param klMode P3O: which KL(π_θ ‖ π_b) is added
 * @param ratioCap P3O: what bounds the ratio
 * @param clipLow lower clip ε, the ratio is clipped at 1 − ε
 * @param clipHigh upper clip ε, the ratio is clipped at 1 + ε
 * @param dualClip PPO: bound of the ratio where the advantage is negative, > 1
 * @param importanceCap TIS and decoupled PPO: where the ratio to π_b is truncated, > 0
 * @param advantage how rewards become advantages
 * @param referenceKl weight of the KL to version 0, ≥ 0; 0 = off
 * @param entropy weight of the entropy bonus, ≥ 0; 0 = off
 * @param overlongBuffer last tokens before sampling.maxResponseTokens that lower the reward; 0 =
 *     off
 * @param overlongPenalty what a response of full length loses, > 0
 * @param dropZeroVariance whether a group of equal rewards is dispatched again with another prompt
 * @param dynamicSamplingAttempts attempts after which a group of equal rewards is trained as it is
 * @param correction none: see {@link ObjectiveGates}
 * @param critic false: see {@link ObjectiveGates}
 * @param normalization token-mean: see {@link ObjectiveGates}
 */
public record AlgorithmConfig(
    Algorithm name,
    @Nullable EssScope essScope,
    @Nullable KlMode klMode,
    @Nullable RatioCap ratioCap,
    @Nullable Double clipLow,
    @Nullable Double clipHigh,
    @Nullable Double dualClip,
    @Nullable Double importanceCap,
    GroupAdvantage advantage,
    double referenceKl,
    double entropy,
    int overlongBuffer,
    double overlongPenalty,
    @Nullable Boolean dropZeroVariance,
    int dynamicSamplingAttempts,
    Correction correction,
    boolean critic,
    Normalization normalization) {

  private static final double DUAL_CLIP = 3;

  /** The paper's; the mode of its reference code is the noisier one, see docs/objectives.md. */
  private static final KlMode KL_MODE = KlMode.EXACT;

  private static final double IMPORTANCE_CAP = 2;

  public AlgorithmConfig {
    requireMeaning(name, essScope, "essScope", name == Algorithm.P3O, "it measures no ESS");
    requireMeaning(name, klMode, "klMode", name == Algorithm.P3O, "it has no adaptive KL");
    requireMeaning(name, ratioCap, "ratioCap", name == Algorithm.P3O, "it has no cap of its own");
    require(
        klMode != KlMode.NONE || ratioCap != RatioCap.NONE,
        "ratioCap",
        ratioCap,
        "cannot stand beside klMode none: nothing of P3O would be left; the plain ratio is"
            + " algorithm.name: tis with a large importanceCap");
    requireMeaning(name, clipLow, "clipLow", name.clip() != null, "it has no clip");
    requireMeaning(name, clipHigh, "clipHigh", name.clip() != null, "it has no clip");
    requireMeaning(name, dualClip, "dualClip", name == Algorithm.PPO, "it has no dual clip");
    requireMeaning(
        name, importanceCap, "importanceCap", name.hasImportanceCap(), "it truncates no ratio");
    require(
        clipLow == null || clipLow > 0 && clipLow <= 1, "clipLow", clipLow, "must be in (0, 1]");
    require(clipHigh == null || clipHigh > 0, "clipHigh", clipHigh, "must be > 0");
    require(
        !name.isClippedSymmetrically()
            || clipLow == null
            || clipHigh == null
            || clipLow.equals(clipHigh),
        "clipHigh",
        clipHigh,
        "must equal clipLow (" + clipLow + "): the clip of " + name.id() + " is symmetric");
    require(
        !name.isClippedSymmetrically() || clipHigh == null || clipHigh <= 1,
        "clipHigh",
        clipHigh,
        "must be in (0, 1]: the clip of " + name.id() + " is symmetric");
    require(dualClip == null || dualClip > 1, "dualClip", dualClip, "must be > 1");
    require(
        importanceCap == null || importanceCap > 0, "importanceCap", importanceCap, "must be > 0");
    require(referenceKl >= 0, "referenceKl", referenceKl, "must be >= 0 (0 = off)");
    require(entropy >= 0, "entropy", entropy, "must be >= 0 (0 = off)");
    require(overlongBuffer >= 0, "overlongBuffer", overlongBuffer, "must be >= 0 tokens (0 = off)");
    require(overlongPenalty > 0, "overlongPenalty", overlongPenalty, "must be > 0");
    require(
        dynamicSamplingAttempts >= 1,
        "dynamicSamplingAttempts",
        dynamicSamplingAttempts,
        "must be >= 1");
  }

  public static AlgorithmConfig defaults() {
    return of(Algorithm.P3O);
  }

  /** An objective as it is where nothing else is configured. */
  public static AlgorithmConfig of(Algorithm name) {
    return new AlgorithmConfig(
        name,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        GroupAdvantage.POPULATION_STD,
        0,
        0,
        0,
        1,
        null,
        4,
        Correction.NONE,
        false,
        Normalization.TOKEN_MEAN);
  }

  /** The same with the defaults of its objective; null is left where it has no such key. */
  public AlgorithmConfig resolved() {
    boolean p3o = name == Algorithm.P3O;
    Algorithm.Clip clip = clip();
    return new AlgorithmConfig(
        name,
        p3o ? either(essScope, EssScope.STEP) : null,
        p3o ? either(klMode, KL_MODE) : null,
        p3o ? either(ratioCap, RatioCap.ESS) : null,
        clip == null ? null : Double.valueOf(clip.low()),
        clip == null ? null : Double.valueOf(clip.high()),
        name == Algorithm.PPO ? either(dualClip, DUAL_CLIP) : null,
        name.hasImportanceCap() ? either(importanceCap, IMPORTANCE_CAP) : null,
        advantage,
        referenceKl,
        entropy,
        overlongBuffer,
        overlongPenalty,
        dropsZeroVariance(),
        dynamicSamplingAttempts,
        correction,
        critic,
        normalization);
  }

  /** Whether a group of equal rewards is dispatched again: configured, or else DAPO's way. */
  public boolean dropsZeroVariance() {
    return either(dropZeroVariance, name == Algorithm.DAPO);
  }

  /** The objective that all this amounts to. */
  public Objective objective() {
    double low = clip() == null ? 0 : clip().low();
    double high = clip() == null ? 0 : clip().high();
    double cap = either(importanceCap, IMPORTANCE_CAP);
    return switch (name) {
      case P3O ->
          new P3o(
              either(essScope, EssScope.STEP),
              either(klMode, KL_MODE),
              either(ratioCap, RatioCap.ESS));
      case GRPO -> new Grpo(low, high);
      case PPO -> new PpoClip(low, either(dualClip, DUAL_CLIP));
      case DAPO -> new Dapo(low, high);
      case CISPO -> new Cispo(low, high);
      case GSPO -> new Gspo(low, high);
      case TIS -> new TruncatedImportanceSampling(cap);
      case DECOUPLED_PPO -> new DecoupledPpo(low, cap);
    };
  }

  /** The clip in force; null for an objective without one. */
  private Algorithm.@Nullable Clip clip() {
    Algorithm.Clip standard = name.clip();
    if (standard == null) {
      return null;
    }
    if (name.isClippedSymmetrically()) {
      double both = either(clipLow, either(clipHigh, standard.low()));
      return new Algorithm.Clip(both, both);
    }
    return new Algorithm.Clip(either(clipLow, standard.low()), either(clipHigh, standard.high()));
  }

  private static <T> T either(@Nullable T configured, T standard) {
    return configured == null ? standard : configured;
  }

  private static void requireMeaning(
      Algorithm name, @Nullable Object value, String key, boolean hasKey, String reason) {
    require(value == null || hasKey, key, value, "has no meaning for " + name.id() + ": " + reason);
  }

  private static void require(boolean holds, String key, @Nullable Object value, String rule) {
    if (!holds) {
      String shown = value instanceof Enum<?> constant ? Spelling.of(constant) : "" + value;
      throw new IllegalArgumentException("algorithm." + key + ": " + shown + " " + rule);
    }
  }
}
