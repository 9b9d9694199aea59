package org.p3ostream.deploy.log;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.p3ostream.deploy.log.RecordSearch.Found;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;

/**
 * Finds and shows records of a topic that stand for themselves.
 *
 * @param <T> type of the records
 */
public final class RecordLog<T extends SpecificRecord> {

  private final TopicReader topic;
  private final RecordSearch<T> search;
  private final RecordSink<T> sink;

  private RecordLog(TopicReader topic, RecordSearch<T> search, RecordSink<T> sink) {
    this.topic = topic;
    this.search = search;
    this.sink = sink;
  }

  /**
   * The ledger.
   *
   * @param unreadable told about records that are no events
   * @param json whether to show them as JSON rather than as a table
   */
  public static RecordLog<StepEvent> steps(
      TopicReader topic, StepQuery query, Unreadable unreadable, PrintWriter out, boolean json) {
    return new RecordLog<>(
        topic,
        new RecordSearch<>(topic, StepEvent.class, query::matches, unreadable),
        json ? new RecordJson<>(out) : new StepTable(out));
  }

  /**
   * The manifests of snapshots; their chunks are passed over.
   *
   * @param steps made by these steps only
   * @param unreadable told about records that are neither
   * @param json whether to show them as JSON rather than as a table
   */
  public static RecordLog<SnapshotManifest> snapshots(
      TopicReader topic, StepRange steps, Unreadable unreadable, PrintWriter out, boolean json) {
    return new RecordLog<>(
        topic,
        new RecordSearch<>(
            topic,
            SnapshotManifest.class,
            manifest -> steps.contains(manifest.getStep()),
            unreadable.except(SnapshotChunk.class)),
        json ? new RecordJson<>(out) : new SnapshotTable(out));
  }

  /**
   * The dead letters.
   *
   * @param unreadable told about records that are none
   * @param json whether to show them as JSON rather than as text
   */
  public static RecordLog<DeadLetter> deadLetters(
      TopicReader topic,
      DeadLetterQuery query,
      Unreadable unreadable,
      PrintWriter out,
      boolean json) {
    return new RecordLog<>(
        topic,
        new RecordSearch<>(topic, DeadLetter.class, query::matches, unreadable),
        json ? new RecordJson<>(out) : new DeadLetterText(out));
  }

  /**
   * Shows the first or the newest records that are committed at the time of the call.
   *
   * @return how many
   */
  public int show(int limit, boolean newest) {
    return search.search(topic.everything(), limit, newest, this::show);
  }

  /**
   * Shows the newest records and then every further one as it is committed.
   *
   * @param stopped whether to end; asked several times a second
   */
  public void follow(int limit, BooleanSupplier stopped) {
    try {
      Map<TopicPartition, Span> before = topic.everything();
      search.search(before, limit, true, this::show);
      topic.follow(before);
      while (!stopped.getAsBoolean()) {
        show(search.poll());
      }
    } catch (WakeupException e) {
      if (!stopped.getAsBoolean()) {
        throw e;
      }
    }
  }

  /** Lets {@link #follow} see at once that it is stopped. Safe from any thread. */
  public void wakeup() {
    topic.wakeup();
  }

  private void show(List<Found<T>> found) {
    found.forEach(f -> sink.show(f.entry(), f.record()));
  }
}
