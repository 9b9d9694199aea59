package org.p3ostream.deploy.log;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.MetricPoint;

/**
 * Shows the points of the {@code metrics} topic each metric in the order in which it was written.
 * Points are written in whole lines, and handed to whoever reads them before more is waited for.
 */
public final class MetricLog {

  private static final int BATCH = 256;

  private final TopicReader topic;
  private final Predicate<MetricPoint> condition;
  private final Unreadable unreadable;
  private final RecordSink<MetricPoint> sink;
  private final PrintWriter out;

  /**
   * @param unreadable told about records that are no points
   * @param json whether to show them as JSON rather than as text
   */
  public MetricLog(
      TopicReader topic, MetricQuery query, Unreadable unreadable, PrintWriter out, boolean json) {
    this.topic = topic;
    this.condition = query.test();
    this.unreadable = unreadable;
    this.sink = json ? new MetricJson(out) : new MetricText(out);
    this.out = out;
  }

  /**
   * Shows what is committed at the time of the call.
   *
   * @param stopped whether to end before; asked now and then
   * @return how many points
   */
  public long show(BooleanSupplier stopped) {
    return show(topic.everything(), stopped);
  }

  /**
   * Shows what is committed, and then every further point as it is.
   *
   * @param stopped whether to end; asked several times a second
   * @param complete whether no further point will come; asked when none came for a while
   */
  public void follow(BooleanSupplier stopped, BooleanSupplier complete) {
    try {
      Map<TopicPartition, Span> shown = topic.everything();
      show(shown, stopped);
      topic.follow(shown);
      while (!stopped.getAsBoolean()) {
        List<LogEntry> entries = topic.poll();
        entries.forEach(this::showIfWanted);
        out.flush();
        if (entries.isEmpty() && complete.getAsBoolean()) {
          showTheRest(stopped);
          return;
        }
      }
    } catch (WakeupException e) {
      if (!stopped.getAsBoolean()) {
        throw e;
      }
    } finally {
      out.flush();
    }
  }

  /** Lets {@link #follow} see at once that it is stopped. Safe from any thread. */
  public void wakeup() {
    topic.wakeup();
  }

  /** What came between the last look and the answer that nothing more will come. */
  private void showTheRest(BooleanSupplier stopped) {
    while (!stopped.getAsBoolean() && !topic.isAtEnd()) {
      topic.poll().forEach(this::showIfWanted);
    }
  }

  private long show(Map<TopicPartition, Span> spans, BooleanSupplier stopped) {
    long[] count = new long[2]; // shown, read
    topic.forward(
        spans,
        entry -> {
          count[0] += showIfWanted(entry) ? 1 : 0;
          return ++count[1] % BATCH != 0 || !stopped.getAsBoolean();
        });
    out.flush();
    return count[0];
  }

  private boolean showIfWanted(LogEntry entry) {
    @Nullable MetricPoint point = unreadable.read(entry, MetricPoint.class);
    if (point == null || !condition.test(point)) {
      return false;
    }
    sink.show(entry, point);
    return true;
  }
}
