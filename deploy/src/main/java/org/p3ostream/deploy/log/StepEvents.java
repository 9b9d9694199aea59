package org.p3ostream.deploy.log;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.p3ostream.deploy.log.RecordSearch.Found;
import org.p3ostream.schemas.avro.StepEvent;

/** Finds events of the ledger. */
public final class StepEvents {

  private final TopicReader steps;
  private final RecordSearch<StepEvent> search;
  private final StepSink sink;

  /**
   * @param unreadable told about records that are no events
   * @param json whether to show them as JSON rather than as a table
   */
  public StepEvents(TopicReader steps, Unreadable unreadable, PrintWriter out, boolean json) {
    this.steps = steps;
    this.search = new RecordSearch<>(steps, StepEvent.class, event -> true, unreadable);
    this.sink = json ? new StepJson(out) : new StepTable(out);
  }

  /**
   * Shows the first or the newest events that are committed at the time of the call.
   *
   * @return how many
   */
  public int show(int limit, boolean newest) {
    return search.search(steps.everything(), limit, newest, this::show);
  }

  /**
   * Shows the newest events and then every further one as it is committed.
   *
   * @param stopped whether to end; asked several times a second
   */
  public void follow(int limit, BooleanSupplier stopped) {
    try {
      Map<TopicPartition, Span> before = steps.everything();
      search.search(before, limit, true, this::show);
      steps.follow(before);
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
    steps.wakeup();
  }

  private void show(List<Found<StepEvent>> found) {
    found.forEach(f -> sink.show(f.entry(), f.record()));
  }
}
