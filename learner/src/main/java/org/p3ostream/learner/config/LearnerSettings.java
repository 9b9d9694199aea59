package org.p3ostream.learner.config;

import java.util.Map;

/**
 * Everything the learner is told, one section per concern.
 *
 * @param environment what else bit identity depends on (MKL_CBWR, Java version, …); recorded when
 *     the run begins, not checked
 */
public record LearnerSettings(
    RunConfig run,
    ModelSourceConfig model,
    PromptsConfig prompts,
    SamplingConfig sampling,
    DispatchConfig dispatch,
    WindowConfig window,
    AlgorithmConfig algorithm,
    RatioConfig ratio,
    OptimizerConfig optimizer,
    LearnerConfig learner,
    AuditConfig audit,
    RecoveryConfig recovery,
    TrimmingConfig trimming,
    Map<String, String> environment) {
  public LearnerSettings {
    environment = Map.copyOf(environment);
  }

  /** The same, but for whether behaviour log-probs are audited. */
  public LearnerSettings withAudit(AuditConfig other) {
    return new LearnerSettings(
        run,
        model,
        prompts,
        sampling,
        dispatch,
        window,
        algorithm,
        ratio,
        optimizer,
        learner,
        other,
        recovery,
        trimming,
        environment);
  }

  /**
   * Id that fences an older learner of the same run: the configured one, or one per topic prefix.
   */
  public String transactionalId() {
    return learner.transactionalId().isEmpty()
        ? run.topicPrefix() + "learner"
        : learner.transactionalId();
  }
}
