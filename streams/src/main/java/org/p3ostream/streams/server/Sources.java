package org.p3ostream.streams.server;

import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.alert.Observation.ProducerSilence;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.query.NotReadyException;
import org.p3ostream.streams.query.RunQueries;

/**
 * What the server answers from.
 *
 * @param topicPrefix prefix of the topics of the run
 * @param steps the newest steps
 * @param records single records of the log
 * @param queries what the topology knows
 * @param clock what ages are told by
 */
public record Sources(
    String topicPrefix, StepLog steps, RecordSource records, RunQueries queries, Clock clock) {

  /** How long each producer has been silent; null while that is not known. */
  @Nullable List<ProducerSilence> silences() {
    try {
      return queries.producers().producers().stream()
          .map(producer -> new ProducerSilence(producer.producerId(), producer.silentSeconds()))
          .toList();
    } catch (NotReadyException e) {
      return null;
    }
  }
}
