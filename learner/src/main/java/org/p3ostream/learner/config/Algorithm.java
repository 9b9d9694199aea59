package org.p3ostream.learner.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The policy objectives there are, with the clip that each takes where none is configured. */
public enum Algorithm {
  P3O(null),
  GRPO(new Clip(0.2, 0.2)),
  PPO(new Clip(0.2, 0.2)),
  DAPO(new Clip(0.2, 0.28)),
  CISPO(new Clip(0.2, 0.28)),
  GSPO(new Clip(3e-4, 4e-4)),
  TIS(null),
  DECOUPLED_PPO(new Clip(0.2, 0.2));

  /** Bounds of the ratio: 1 − low and 1 + high. */
  record Clip(double low, double high) {}

  private final @Nullable Clip clip;

  Algorithm(@Nullable Clip clip) {
    this.clip = clip;
  }

  /** How the configuration spells it. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Clip where none is configured; null for an objective without one. */
  @Nullable Clip clip() {
    return clip;
  }

  /** Whether the clip has one ε for both sides. */
  boolean isClippedSymmetrically() {
    return this == PPO || this == DECOUPLED_PPO;
  }

  /** Whether it truncates a ratio by a constant. */
  boolean hasImportanceCap() {
    return this == TIS || this == DECOUPLED_PPO;
  }
}
