package org.p3ostream.deploy.cli;

import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.meters.ProducerMeters;
import org.p3ostream.deploy.meters.RoleMeters;
import org.p3ostream.rolloutproducer.config.ProducerSettings;
import org.p3ostream.rolloutproducer.runtime.RolloutProducer;
import picocli.CommandLine.Command;

/** {@code p3o producer}. */
@Command(
    name = "producer",
    description = "Samples responses to the prompts of a run until interrupted.",
    mixinStandardHelpOptions = true)
final class ProducerCommand extends RoleCommand {

  @Override
  RoleMeters meters(P3oConfig config) {
    Map<String, String> labels = new HashMap<>(labels(config, "producer"));
    labels.put("producer", config.producer().id());
    return RoleMeters.serve(
        "producer-" + config.producer().id(),
        config.metrics().producerPort(),
        "metrics.producerPort",
        config.metrics().targetsDirectory(),
        labels);
  }

  @Override
  void run(P3oConfig config, RoleClients clients, RoleMeters meters, Interruption interruption) {
    ProducerSettings settings = config.producerSettings();
    RolloutProducer producer =
        new RolloutProducer(settings, clients.producer(settings), Clock.systemUTC());
    meters
        .registry()
        .ifPresent(registry -> producer.observedBy(new ProducerMeters(registry, producer::status)));
    interruption.stopBy(producer::stop);
    producer.run();
  }
}
