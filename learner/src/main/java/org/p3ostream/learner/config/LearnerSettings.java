package org.p3ostream.learner.config;

/** Everything the learner is told, one section per concern. */
public record LearnerSettings(
    RunConfig run,
    ModelSourceConfig model,
    PromptsConfig prompts,
    SamplingConfig sampling,
    DispatchConfig dispatch,
    AlgorithmConfig algorithm,
    RatioConfig ratio,
    OptimizerConfig optimizer,
    LearnerConfig learner) {}
