package org.p3ostream.deploy.cli;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.SampleRatios;
import org.p3ostream.deploy.log.SampleTexts;
import org.p3ostream.deploy.meters.RoleMeters;
import org.p3ostream.deploy.meters.TargetFile;
import org.p3ostream.streams.config.StreamsSettings;
import org.p3ostream.streams.runtime.MetricsService;
import picocli.CommandLine.Command;

/** {@code p3o streams}. */
@Command(
    name = "streams",
    description = "Turns the log of a run into live metrics and serves them until interrupted.",
    mixinStandardHelpOptions = true)
final class StreamsCommand extends RoleCommand {

  @Override
  RoleMeters meters(P3oConfig config) {
    return RoleMeters.none(); // the service measures and serves by itself
  }

  @Override
  void run(P3oConfig config, RoleClients clients, RoleMeters none, Interruption interruption)
      throws InterruptedException {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (SampleTexts texts = new SampleTexts(config.model().directory());
        SampleRatios ratios = new SampleRatios(config, clients, RunEnvironment.read());
        MetricsService service =
            new MetricsService(config.streamsSettings(), clients.streams(texts, ratios), meters)) {
      interruption.stopBy(service::close);
      service.start();
      announceAndAwait(config, service);
    }
  }

  /** A second service on a run leaves the target of the first alone. */
  private static String target(P3oConfig config) {
    StreamsSettings settings = config.streamsSettings();
    return settings.hasOwnApplicationId() ? "streams-" + settings.applicationId() : "streams";
  }

  private static void announceAndAwait(P3oConfig config, MetricsService service)
      throws InterruptedException {
    String targets = config.metrics().targetsDirectory();
    if (targets == null) {
      service.awaitTermination();
      return;
    }
    try (TargetFile target =
        TargetFile.write(
            Path.of(targets), target(config), service.port(), labels(config, "streams"))) {
      service.awaitTermination();
    }
  }
}
