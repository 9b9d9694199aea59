package org.p3ostream.deploy.cli;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.SampleTexts;
import org.p3ostream.streams.runtime.MetricsService;
import picocli.CommandLine.Command;

/** {@code p3o streams}. */
@Command(
    name = "streams",
    description = "Turns the log of a run into live metrics and serves them until interrupted.",
    mixinStandardHelpOptions = true)
final class StreamsCommand extends RoleCommand {

  @Override
  void run(P3oConfig config, RoleClients clients, Interruption interruption)
      throws InterruptedException {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (SampleTexts texts = new SampleTexts(config.model().directory());
        MetricsService service =
            new MetricsService(config.streamsSettings(), clients.streams(texts), meters)) {
      interruption.stopBy(service::close);
      service.start();
      service.awaitTermination();
    }
  }
}
