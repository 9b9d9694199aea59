package org.p3ostream.learner.loss;

import java.util.Locale;
import java.util.Map;
import org.p3ostream.learner.objective.Cispo;
import org.p3ostream.learner.objective.Dapo;
import org.p3ostream.learner.objective.DecoupledPpo;
import org.p3ostream.learner.objective.Grpo;
import org.p3ostream.learner.objective.Gspo;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.PpoClip;
import org.p3ostream.learner.objective.RatioCap;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.objective.TruncatedImportanceSampling;
import org.p3ostream.policy.torch.ScriptResource;

/**
 * TorchScript text of objectives. Every objective is a method {@code token_losses} of the same
 * signature, on valid tokens only; what it does not need of its arguments it does not look at.
 */
final class ObjectiveScript {

  private ObjectiveScript() {}

  static String of(Objective objective) {
    if (objective instanceof P3o p3o) {
      return String.join(
          "\n",
          text("p3o.torchscript", Map.of()),
          text(coefficient(p3o.cap()), Map.of()),
          text(kl(p3o.klMode()), Map.of()));
    }
    if (objective instanceof Grpo grpo) {
      return text("clipped_surrogate.torchscript", clip(grpo.clipLow(), grpo.clipHigh()));
    }
    if (objective instanceof Dapo dapo) {
      return text("clipped_surrogate.torchscript", clip(dapo.clipLow(), dapo.clipHigh()));
    }
    if (objective instanceof PpoClip ppo) {
      return text("ppo_clip.torchscript", clip(ppo.clip(), ppo.clip(), "DUAL", ppo.dualClip()));
    }
    if (objective instanceof Cispo cispo) {
      return text("cispo.torchscript", clip(cispo.clipLow(), cispo.clipHigh()));
    }
    if (objective instanceof Gspo gspo) {
      return text("gspo.torchscript", clip(gspo.clipLow(), gspo.clipHigh()));
    }
    if (objective instanceof TruncatedImportanceSampling truncated) {
      return text(
          "truncated_importance_sampling.torchscript", Map.of("CAP", literal(truncated.cap())));
    }
    if (objective instanceof DecoupledPpo decoupled) {
      return text(
          "decoupled_ppo.torchscript",
          clip(decoupled.clip(), decoupled.clip(), "CAP", decoupled.behaviorCap()));
    }
    throw new IllegalArgumentException("no script for " + objective);
  }

  static String of(Regularization regularization) {
    return text(
        "regularization.torchscript",
        Map.of(
            "REFERENCE_KL",
            literal(regularization.referenceKl()),
            "ENTROPY",
            literal(regularization.entropy())));
  }

  private static String kl(KlMode mode) {
    return switch (mode) {
      case PROXY -> "kl_proxy.torchscript";
      case PROXY_SAFE -> "kl_proxy_safe.torchscript";
      case EXACT -> "kl_exact.torchscript";
      case NONE -> "kl_none.torchscript";
    };
  }

  private static String coefficient(RatioCap cap) {
    return switch (cap) {
      case ESS -> "ratio_capped.torchscript";
      case NONE -> "ratio_uncapped.torchscript";
    };
  }

  private static Map<String, String> clip(double low, double high) {
    return Map.of("LOWEST", literal(1 - low), "HIGHEST", literal(1 + high));
  }

  private static Map<String, String> clip(double low, double high, String name, double figure) {
    return Map.of("LOWEST", literal(1 - low), "HIGHEST", literal(1 + high), name, literal(figure));
  }

  private static String text(String resource, Map<String, String> figures) {
    return ScriptResource.of(ObjectiveScript.class, resource, figures);
  }

  private static String literal(double value) {
    return String.format(Locale.ROOT, "%.17e", value);
  }
}
