package org.p3ostream.streams.server;

import java.time.Clock;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.alert.Observation.ProducerSilence;
import org.p3ostream.streams.live.StepLog;

/**
 * What the server answers from.
 *
 * @param topicPrefix prefix of the topics of the run
 * @param steps the newest steps
 * @param records single records of the log
 * @param producers how long each producer has been silent; null while that is not known
 * @param clock what ages are told by
 */
public record Sources(
    String topicPrefix,
    StepLog steps,
    RecordSource records,
    Supplier<@Nullable List<ProducerSilence>> producers,
    Clock clock) {}
