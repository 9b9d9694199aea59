package org.p3ostream.deploy.cli;

import java.time.Clock;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
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
  void run(P3oConfig config, RoleClients clients, Interruption interruption) {
    ProducerSettings settings = config.producerSettings();
    RolloutProducer producer =
        new RolloutProducer(settings, clients.producer(settings), Clock.systemUTC());
    interruption.stopBy(producer::stop);
    producer.run();
  }
}
