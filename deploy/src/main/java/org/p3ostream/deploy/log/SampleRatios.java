package org.p3ostream.deploy.log;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.forward.BehaviorSnapshotMissingException;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.runtime.StepRatios;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.schemas.serde.RegistryUnavailableException;
import org.p3ostream.streams.lookup.NoRatiosException;
import org.p3ostream.streams.lookup.NotReadableException;
import org.p3ostream.streams.lookup.TokenRatios;

/**
 * Ratios of tokens for whoever looks at samples in the dashboard: computed again by the learner's
 * own code from the weights in the log, on the processor. Model, engine and clients are loaded when
 * the first are asked for; most services are never asked. A large model is left to {@code p3o
 * replay}: it does not belong into a process that is to cost nothing.
 */
public final class SampleRatios implements TokenRatios, AutoCloseable {

  /** Weights are held four times over while ratios are computed. */
  private static final long MOST_WEIGHT_BYTES = 32L << 20;

  private final P3oConfig config;
  private final RoleClients clients;
  private final Map<String, String> environment;
  private @Nullable StepRatios ratios;

  /**
   * @param clients opens three consumers and a codec with them, once asked for ratios
   */
  public SampleRatios(P3oConfig config, RoleClients clients, Map<String, String> environment) {
    this.config = config;
    this.clients = clients;
    this.environment = Map.copyOf(environment);
  }

  @Override
  public synchronized Map<Long, List<double[]>> of(long step) {
    try {
      requireSmall(Path.of(config.model().directory()));
      return ratios().of(step).stream()
          .collect(Collectors.toMap(StepRatios.OfGroup::groupId, StepRatios.OfGroup::responses));
    } catch (KafkaException | RegistryUnavailableException e) {
      throw new NotReadableException("the log cannot be read: " + e.getMessage());
    } catch (LedgerException
        | BehaviorSnapshotMissingException
        | ConfigurationException
        | ConfigException
        | UncheckedIOException e) {
      throw new NoRatiosException(String.valueOf(e.getMessage()));
    }
  }

  private StepRatios ratios() {
    if (ratios == null) {
      P3oConfig onProcessor = ConfigLoader.over(config, null, List.of("model.device=cpu"));
      ratios = new StepRatios(onProcessor.learnerSettings(environment), clients.logReaders());
    }
    return ratios;
  }

  private static void requireSmall(Path model) {
    long bytes;
    try {
      bytes = 4L * ParameterLayout.of(ModelDirectory.loadConfig(model)).size();
    } catch (IllegalArgumentException | ArithmeticException | UncheckedIOException e) {
      throw new NoRatiosException("model.directory: " + e.getMessage());
    }
    if (bytes > MOST_WEIGHT_BYTES) {
      throw new NoRatiosException(
          "model.directory: %s has weights of %d MiB, and ratios are computed here for at most %d MiB"
              .formatted(model, bytes >> 20, MOST_WEIGHT_BYTES >> 20));
    }
  }

  @Override
  public synchronized void close() {
    if (ratios != null) {
      ratios.close();
    }
  }
}
