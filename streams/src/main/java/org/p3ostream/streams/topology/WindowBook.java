package org.p3ostream.streams.topology;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.streams.state.LatencyFigures;
import org.p3ostream.streams.state.Stage;
import org.p3ostream.streams.state.TaskFigures;
import org.p3ostream.streams.state.WindowFigures;

/** Windows that were trained or passed, and when their groups were dispatched. */
final class WindowBook {
  /** Windows kept. */
  static final int WINDOWS_KEPT = 256;

  /** Windows between two looks for dispatches whose group never came. */
  private static final int WINDOWS_PER_LOOK = 64;

  private final KeyValueStore<Long, WindowFigures> windows;
  private final KeyValueStore<Long, DispatchTimes> dispatches;

  WindowBook(
      KeyValueStore<Long, WindowFigures> windows, KeyValueStore<Long, DispatchTimes> dispatches) {
    this.windows = windows;
    this.dispatches = dispatches;
  }

  /** Prompts were sent. */
  void dispatched(LedgerFact event) {
    for (LedgerFact.Dispatched group : event.dispatched()) {
      dispatches.put(
          group.groupId(), DispatchTimes.with(dispatches.get(group.groupId()), event, group));
    }
  }

  /** Event time of the window before, milliseconds since the epoch; null if it is not known. */
  @Nullable Long before(LedgerFact event) {
    WindowFigures before = windows.get(event.step() - 1);
    return before == null ? null : Long.valueOf(before.committedAt());
  }

  /**
   * A window was trained or passed.
   *
   * @param records of its groups, in the order of the event; null for one that could not be had
   */
  void settled(
      LedgerFact event,
      List<@Nullable RolloutFact> records,
      OutstandingRollouts.Lag lag,
      PointSink sink) {
    SortedMap<String, TaskFigures> tasks = tasks(records);
    Map<Stage, LatencyFigures> stages = stages(event, records);
    emit(tasks, sink);
    emit(stages, sink);
    windows.put(
        event.step(),
        new WindowFigures(
            event.step(),
            event.eventTime(),
            staleness(event),
            lag.records(),
            lag.seconds(event.eventTime()),
            event.lagWindows(),
            tasks,
            stages));
    forget(event);
  }

  /** Empty unless every record is there: a mean over what is left would be a wrong one. */
  private static SortedMap<String, TaskFigures> tasks(List<@Nullable RolloutFact> records) {
    SortedMap<String, TaskFigures> tasks = new TreeMap<>();
    for (RolloutFact record : records) {
      if (record == null) {
        return new TreeMap<>();
      }
      tasks.merge(record.task(), record.figures(), TaskFigures::plus);
    }
    return tasks;
  }

  private Map<Stage, LatencyFigures> stages(LedgerFact event, List<@Nullable RolloutFact> records) {
    Map<Stage, LatencyFigures> stages = new EnumMap<>(Stage.class);
    if (event.kind() != StepKind.STEP) {
      return stages;
    }
    for (int i = 0; i < records.size(); i++) {
      RolloutFact record = records.get(i);
      if (record == null) {
        continue;
      }
      LedgerFact.TrainedGroup group = event.trained().get(i);
      add(stages, Stage.SAMPLED_TO_TRAINED, event.eventTime() - record.eventTime());
      DispatchTimes dispatched = dispatches.get(group.groupId());
      Long at = dispatched == null ? null : dispatched.at().get(group.attempt());
      if (at != null) {
        add(stages, Stage.DISPATCHED_TO_SAMPLED, record.eventTime() - at);
        add(stages, Stage.DISPATCHED_TO_TRAINED, event.eventTime() - at);
      }
    }
    return stages;
  }

  private static void add(Map<Stage, LatencyFigures> stages, Stage stage, long millis) {
    stages.merge(stage, LatencyFigures.of(millis), LatencyFigures::plus);
  }

  private static SortedMap<Long, Long> staleness(LedgerFact event) {
    SortedMap<Long, Long> staleness = new TreeMap<>();
    event.ratios().stream()
        .filter(version -> version.tokenCount() > 0)
        .forEach(
            version ->
                staleness.merge(
                    event.policyVersionBefore() - version.policyVersion(),
                    version.tokenCount(),
                    Long::sum));
    return staleness;
  }

  private static void emit(SortedMap<String, TaskFigures> tasks, PointSink sink) {
    tasks.forEach(
        (task, figures) -> {
          Map<String, String> labels = Map.of(Metric.TASK_LABEL, task);
          double responses = figures.responses();
          if (responses > 0) {
            sink.emit(Metric.TASK_REWARD_MEAN, figures.rewardSum() / responses, labels);
            sink.emit(Metric.TASK_RESPONSE_LENGTH_MEAN, figures.tokens() / responses, labels);
            sink.emit(Metric.TASK_TRUNCATED_FRACTION, figures.truncated() / responses, labels);
          }
          emitReasons(task, figures, sink);
        });
  }

  private static void emitReasons(String task, TaskFigures figures, PointSink sink) {
    double all = figures.finishReasons().values().stream().mapToLong(count -> count).sum();
    if (all == 0) {
      return;
    }
    for (FinishReason reason : FinishReason.values()) {
      sink.emit(
          Metric.TASK_FINISH_REASON_FRACTION,
          figures.finishReasons().getOrDefault(reason.name(), 0L) / all,
          Map.of(Metric.TASK_LABEL, task, Metric.REASON_LABEL, reason.name()));
    }
  }

  private static void emit(Map<Stage, LatencyFigures> stages, PointSink sink) {
    stages.forEach(
        (stage, figures) -> {
          Map<String, String> labels = Map.of(Metric.STAGE_LABEL, stage.label());
          sink.emit(Metric.STAGE_LATENCY_MEAN, figures.mean(), labels);
          sink.emit(Metric.STAGE_LATENCY_P50, figures.percentile(50), labels);
          sink.emit(Metric.STAGE_LATENCY_P95, figures.percentile(95), labels);
          sink.emit(Metric.STAGE_LATENCY_MAX, figures.maxSeconds(), labels);
        });
  }

  private void forget(LedgerFact event) {
    event.trained().forEach(group -> dispatches.delete(group.groupId()));
    event.missing().forEach(dispatches::delete);
    long oldest = event.step() - WINDOWS_KEPT;
    if (oldest < 0) {
      return; // as a key, a negative number would come after every other
    }
    keys(windows.range(0L, oldest)).forEach(windows::delete);
    if (event.step() % WINDOWS_PER_LOOK == 0) {
      forgetDispatches(oldest);
    }
  }

  private void forgetDispatches(long oldest) {
    List<Long> gone = new ArrayList<>();
    try (KeyValueIterator<Long, DispatchTimes> all = dispatches.all()) {
      all.forEachRemaining(
          entry -> {
            if (entry.value.step() <= oldest) {
              gone.add(entry.key);
            }
          });
    }
    gone.forEach(dispatches::delete);
  }

  private static List<Long> keys(KeyValueIterator<Long, WindowFigures> some) {
    List<Long> keys = new ArrayList<>();
    try (some) {
      some.forEachRemaining(entry -> keys.add(entry.key));
    }
    return keys;
  }
}
