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
    AlgorithmConfig algorithm,
    RatioConfig ratio,
    OptimizerConfig optimizer,
    LearnerConfig learner,
    AuditConfig audit,
    TrimmingConfig trimming,
    Map<String, String> environment) {
  public LearnerSettings {
    environment = Map.copyOf(environment);
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
