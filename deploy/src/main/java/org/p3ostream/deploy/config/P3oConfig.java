package org.p3ostream.deploy.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.p3ostream.learner.config.AlgorithmConfig;
import org.p3ostream.learner.config.AuditConfig;
import org.p3ostream.learner.config.DatasetConfig;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.config.LearnerConfig;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.config.ModelSourceConfig;
import org.p3ostream.learner.config.ObjectiveGates;
import org.p3ostream.learner.config.OptimizerConfig;
import org.p3ostream.learner.config.PromptsConfig;
import org.p3ostream.learner.config.RatioConfig;
import org.p3ostream.learner.config.RecoveryConfig;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.config.StalenessGates;
import org.p3ostream.learner.config.TrimmingConfig;
import org.p3ostream.learner.config.WindowConfig;
import org.p3ostream.rolloutproducer.config.ProducerConfig;
import org.p3ostream.rolloutproducer.config.ProducerSettings;
import org.p3ostream.rolloutproducer.reward.Rewards;
import org.p3ostream.schemas.registry.RegistryConfig;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.config.StreamsConfig;
import org.p3ostream.streams.config.StreamsSettings;

/**
 * One configuration file for all roles. Each section is a record of the module that uses it; this
 * record holds the rules that span sections.
 *
 * @param kafka properties for every Kafka client, passed through as they are
 */
public record P3oConfig(
    RunConfig run,
    Map<String, String> kafka,
    RegistryConfig registry,
    SerdeConfig serde,
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
    ProducerConfig producer,
    StreamsConfig streams,
    MetricsConfig metrics) {

  /** What exactly-once processing rests on; the roles set these themselves. */
  private static final Set<String> SET_BY_ROLES =
      Set.of(
          "enable.auto.commit",
          "enable.idempotence",
          "group.id",
          "isolation.level",
          "key.deserializer",
          "key.serializer",
          "transactional.id",
          "value.deserializer",
          "value.serializer");

  public P3oConfig {
    kafka = Map.copyOf(kafka);
    TopicCatalogue unused = new TopicCatalogue(run.topicPrefix()); // has a rule for prefixes
    if (kafka.getOrDefault("bootstrap.servers", "").isBlank()) {
      throw new IllegalArgumentException("kafka.bootstrap.servers: must name a broker");
    }
    Set<String> reserved = new TreeSet<>(kafka.keySet());
    reserved.retainAll(SET_BY_ROLES);
    if (!reserved.isEmpty()) {
      throw new IllegalArgumentException(
          "kafka."
              + reserved.iterator().next()
              + ": cannot be configured: exactly-once processing rests on it");
    }
    requireKnownRewards(prompts);
    ObjectiveGates.require(model, sampling, window, algorithm, ratio, learner);
    StalenessGates.require(dispatch, window, learner);
    ProducerGates.require(producer, sampling, dispatch, ratio);
    if (learner.microBatchTokens() < sampling.maxResponseTokens()) {
      throw new IllegalArgumentException(
          "learner.microBatchTokens: "
              + learner.microBatchTokens()
              + " must be >= sampling.maxResponseTokens ("
              + sampling.maxResponseTokens()
              + "): a micro-batch holds at least one response");
    }
    if (trimming.enabled() && learner.checkpointsKept() < 2) {
      throw new IllegalArgumentException(
          "learner.checkpointsKept: "
              + learner.checkpointsKept()
              + " must be >= 2 while trimming.enabled is true: what was trimmed cannot be executed"
              + " again, and one checkpoint alone may be damaged");
    }
  }

  /** The learner hands the name on; the producers know what it means. */
  private static void requireKnownRewards(PromptsConfig prompts) {
    List<DatasetConfig> datasets = prompts.all();
    for (int i = 0; i < datasets.size(); i++) {
      String reward = datasets.get(i).reward();
      if (Rewards.named(reward).isEmpty()) {
        throw new IllegalArgumentException(
            prompts.path(i, "reward")
                + ": '"
                + reward
                + "' must be one of "
                + String.join(", ", Rewards.names()));
      }
    }
  }

  public static P3oConfig defaults() {
    return new P3oConfig(
        RunConfig.defaults(),
        Map.of("bootstrap.servers", "127.0.0.1:9092"),
        RegistryConfig.defaults(),
        SerdeConfig.defaults(),
        ModelSourceConfig.defaults(),
        PromptsConfig.defaults(),
        SamplingConfig.defaults(),
        DispatchConfig.defaults(),
        WindowConfig.defaults(),
        AlgorithmConfig.defaults(),
        RatioConfig.defaults(),
        OptimizerConfig.defaults(),
        LearnerConfig.defaults(),
        AuditConfig.defaults(),
        RecoveryConfig.defaults(),
        TrimmingConfig.defaults(),
        ProducerConfig.defaults(),
        StreamsConfig.defaults(),
        MetricsConfig.defaults());
  }

  /** Kafka properties in the order of their names. */
  @Override
  public Map<String, String> kafka() {
    return new TreeMap<>(kafka);
  }

  /** The same with what the objective takes where the configuration is silent. */
  public P3oConfig resolved() {
    return with(algorithm.resolved());
  }

  /** The same with the objective that is the default, and nothing said of it. */
  P3oConfig withObjectiveUnset() {
    return with(AlgorithmConfig.defaults());
  }

  private P3oConfig with(AlgorithmConfig other) {
    return new P3oConfig(
        run, kafka, registry, serde, model, prompts, sampling, dispatch, window, other, ratio,
        optimizer, learner, audit, recovery, trimming, producer, streams, metrics);
  }

  /** Value of {@code bootstrap.servers}. */
  public String bootstrapServers() {
    return kafka.getOrDefault("bootstrap.servers", "");
  }

  /**
   * What the learner is told.
   *
   * @param environment recorded by the run, see {@link LearnerSettings}
   */
  public LearnerSettings learnerSettings(Map<String, String> environment) {
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
        audit,
        recovery,
        trimming,
        environment);
  }

  /** What a rollout producer is told. */
  public ProducerSettings producerSettings() {
    return new ProducerSettings(
        run.id(),
        run.topicPrefix(),
        Path.of(model.directory()),
        model.device(),
        model.threads(),
        producer);
  }

  /** What the metrics service is told. */
  public StreamsSettings streamsSettings() {
    return new StreamsSettings(run.id(), run.topicPrefix(), streams, (long) learner.steps());
  }
}
