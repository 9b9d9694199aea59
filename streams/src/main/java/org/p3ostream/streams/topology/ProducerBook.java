package org.p3ostream.streams.topology;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.streams.state.ProducerFigures;
import org.p3ostream.streams.state.TrainedFigures;

/** What is known of each producer. */
final class ProducerBook {
  /** Silence in event time after which a producer is forgotten. */
  static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(15);

  /** Producers that are told apart; further ones are counted together as {@link #OTHERS}. */
  static final int MAX_PRODUCERS = 4_096;

  static final String OTHERS = "others";

  private final KeyValueStore<String, ProducerFigures> store;

  ProducerBook(KeyValueStore<String, ProducerFigures> store) {
    this.store = store;
  }

  /** A record was published. */
  void published(RolloutFact rollout) {
    if (rollout.producer() == null) {
      return;
    }
    String producer = rollout.producer();
    ProducerFigures before = store.get(producer);
    if (before == null && store.approximateNumEntries() >= MAX_PRODUCERS) {
      producer = OTHERS;
      before = store.get(producer);
    }
    store.put(
        producer,
        (before == null ? ProducerFigures.NONE : before)
            .published(
                Math.toIntExact(rollout.figures().responses()),
                rollout.figures().tokens(),
                rollout.failed(),
                rollout.eventTime()));
  }

  /** A window was trained on these of its records. */
  void trained(LedgerFact event, List<@Nullable RolloutFact> window) {
    if (event.kind() != StepKind.STEP) {
      return;
    }
    Map<String, TrainedFigures> byProducer = new HashMap<>();
    for (RolloutFact rollout : window) {
      if (rollout != null && rollout.producer() != null) {
        byProducer.merge(rollout.producer(), trained(event, rollout), TrainedFigures::plus);
      }
    }
    byProducer.forEach(
        (producer, figures) -> {
          String name = store.get(producer) == null ? OTHERS : producer;
          ProducerFigures before = store.get(name);
          if (before != null) {
            store.put(name, before.trained(figures));
          }
        });
  }

  private static TrainedFigures trained(LedgerFact event, RolloutFact rollout) {
    TrainedFigures figures =
        new TrainedFigures(
            TrainedFigures.blockOf(event.step()),
            0,
            0,
            0,
            rollout.figures().responses(),
            rollout.figures().rewardSum());
    for (Map.Entry<Long, Long> version : rollout.tokensByVersion().entrySet()) {
      long staleness = event.policyVersionBefore() - version.getKey();
      figures =
          figures.plus(
              new TrainedFigures(
                  figures.block(),
                  version.getValue(),
                  staleness * version.getValue(),
                  staleness,
                  0,
                  0));
    }
    return figures;
  }

  /** Forgets who was silent for too long and writes the figures of the others. */
  void report(LedgerFact event, PointSink sink) {
    for (KeyValue<String, ProducerFigures> producer : all()) {
      if (producer.value.lastAt() < event.eventTime() - FORGOTTEN_AFTER.toMillis()) {
        store.delete(producer.key);
      } else {
        report(event, producer.value, Map.of(Metric.PRODUCER_LABEL, producer.key), sink);
      }
    }
  }

  private static void report(
      LedgerFact event, ProducerFigures figures, Map<String, String> labels, PointSink sink) {
    ProducerFigures.Rate rate = figures.rate(event.eventTime());
    sink.emit(Metric.PRODUCER_RATE, rate.groupsPerSecond(), labels);
    sink.emit(Metric.PRODUCER_THROUGHPUT, rate.tokensPerSecond(), labels);
    sink.emit(Metric.PRODUCER_FAILURES, (double) figures.failures(), labels);
    sink.emit(Metric.PRODUCER_LAST_SEEN, figures.lastAt() / 1000.0, labels);
    TrainedFigures lately = figures.lately(TrainedFigures.blockOf(event.step()));
    if (lately != null && lately.tokens() > 0) {
      double mean = (double) lately.stalenessSum() / lately.tokens();
      sink.emit(Metric.PRODUCER_STALENESS_MEAN, mean, labels);
      sink.emit(Metric.PRODUCER_STALENESS_MAX, (double) lately.stalenessMax(), labels);
    }
  }

  private List<KeyValue<String, ProducerFigures>> all() {
    List<KeyValue<String, ProducerFigures>> all = new ArrayList<>();
    try (KeyValueIterator<String, ProducerFigures> iterator = store.all()) {
      iterator.forEachRemaining(all::add);
    }
    return all;
  }
}
