package org.p3ostream.streams.query;

import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.ratio.RatioStatistics;
import org.p3ostream.streams.state.DeadLetterFigures;
import org.p3ostream.streams.state.LatencyFigures;
import org.p3ostream.streams.state.ProducerFigures;
import org.p3ostream.streams.state.Stage;
import org.p3ostream.streams.state.StoreNames;
import org.p3ostream.streams.state.TaskFigures;
import org.p3ostream.streams.state.TrainedFigures;
import org.p3ostream.streams.state.VersionFigures;
import org.p3ostream.streams.state.WindowFigures;

/**
 * What the topology knows of a run. Thread-safe. Every method throws {@link NotReadyException}
 * while the stores cannot be read.
 */
public final class RunQueries {
  /** Windows that are remembered: the most that can be asked for. */
  public static final int MAX_WINDOWS = 256;

  /** Versions that are remembered: the most that can be asked for. */
  public static final int MAX_VERSIONS = 1_000;

  private final StateReader state;
  private final Clock clock;

  public RunQueries(StateReader state, Clock clock) {
    this.state = state;
    this.clock = clock;
  }

  /** Producers, in the order of their ids. */
  public ProducersAnswer producers() {
    SortedMap<String, ProducerFigures> all = new TreeMap<>();
    this.<String, ProducerFigures>read(StoreNames.PRODUCERS, all::put);
    SortedMap<Long, WindowFigures> windows = windows(1);
    long block = windows.isEmpty() ? 0 : TrainedFigures.blockOf(windows.lastKey());
    long newest = all.values().stream().mapToLong(ProducerFigures::lastAt).max().orElse(0);
    for (WindowFigures window : windows.values()) {
      newest = Math.max(newest, window.committedAt());
    }
    newest = Math.min(newest, clock.millis()); // a clock that is fast is nobody else's
    List<ProducersAnswer.Producer> producers = new ArrayList<>();
    for (Map.Entry<String, ProducerFigures> producer : all.entrySet()) {
      producers.add(producer(producer.getKey(), producer.getValue(), newest, block));
    }
    return new ProducersAnswer(producers);
  }

  private ProducersAnswer.Producer producer(
      String producerId, ProducerFigures figures, long newest, long block) {
    double silentSeconds = Math.max(0, clock.millis() - figures.lastAt()) / 1000.0;
    ProducerFigures.Rate rate =
        1_000 * silentSeconds > ProducerFigures.RATE_SPAN_MS
            ? ProducerFigures.Rate.NONE
            : figures.rate(newest);
    TrainedFigures lately = figures.lately(block);
    TrainedFigures sampled = lately == null || lately.tokens() == 0 ? null : lately;
    return new ProducersAnswer.Producer(
        producerId,
        figures.groups(),
        figures.responses(),
        figures.tokens(),
        figures.failures(),
        rate.groupsPerSecond(),
        rate.tokensPerSecond(),
        figures.lastAt(),
        silentSeconds,
        sampled == null ? null : quotient((double) sampled.stalenessSum(), sampled.tokens()),
        sampled == null ? null : Long.valueOf(sampled.stalenessMax()),
        lately == null ? null : quotient(lately.rewardSum(), lately.responses()));
  }

  /**
   * Staleness over the newest windows, and the lag that the newest of them left.
   *
   * @param count most windows, in [1, {@link #MAX_WINDOWS}]
   */
  public StalenessAnswer staleness(int count) {
    SortedMap<Long, WindowFigures> windows = windows(count);
    SortedMap<Long, Long> tokens = new TreeMap<>();
    Integer lagWindows = null;
    for (WindowFigures window : windows.values()) {
      window.staleness().forEach((versions, more) -> tokens.merge(versions, more, Long::sum));
      lagWindows = window.lagWindows() == null ? lagWindows : window.lagWindows();
    }
    List<StalenessAnswer.Bar> bars = new ArrayList<>();
    tokens.forEach((versions, sum) -> bars.add(new StalenessAnswer.Bar(versions, sum)));
    WindowFigures newest = windows.isEmpty() ? null : windows.get(windows.lastKey());
    return new StalenessAnswer(
        windows.size(),
        tokens.values().stream().mapToLong(sum -> sum).sum(),
        bars,
        newest == null ? null : Long.valueOf(newest.lagRecords()),
        lagWindows,
        newest == null ? null : newest.lagSeconds());
  }

  /**
   * ESS per policy version.
   *
   * @param limit most versions, in [1, {@link #MAX_VERSIONS}]
   */
  public VersionsAnswer versions(int limit) {
    TreeMap<Long, VersionFigures> all = new TreeMap<>();
    this.<Long, VersionFigures>read(StoreNames.VERSIONS, all::put);
    return new VersionsAnswer(
        all.descendingMap().values().stream().limit(limit).map(RunQueries::version).toList());
  }

  private static VersionsAnswer.Version version(VersionFigures figures) {
    RatioStatistics statistics = figures.statistics();
    double mean = statistics.meanRatio();
    return new VersionsAnswer.Version(
        figures.policyVersion(),
        figures.tokenCount(),
        statistics.normalizedEss(),
        Double.isFinite(mean) ? Double.valueOf(mean) : null,
        figures.fromStep(),
        figures.toStep());
  }

  /**
   * Latencies over the newest windows.
   *
   * @param count most windows, in [1, {@link #MAX_WINDOWS}]
   */
  public LatenciesAnswer latencies(int count) {
    Map<Stage, LatencyFigures> stages = new EnumMap<>(Stage.class);
    for (WindowFigures window : windows(count).values()) {
      window
          .stages()
          .forEach((stage, figures) -> stages.merge(stage, figures, LatencyFigures::plus));
    }
    List<LatenciesAnswer.StageLatency> answer = new ArrayList<>();
    for (Stage stage : Stage.values()) {
      answer.add(latency(stage, stages.getOrDefault(stage, LatencyFigures.NONE)));
    }
    return new LatenciesAnswer(answer);
  }

  private static LatenciesAnswer.StageLatency latency(Stage stage, LatencyFigures figures) {
    if (figures.count() == 0) {
      return new LatenciesAnswer.StageLatency(stage.label(), 0, null, null, null, null);
    }
    return new LatenciesAnswer.StageLatency(
        stage.label(),
        figures.count(),
        figures.mean(),
        figures.percentile(50),
        figures.percentile(95),
        figures.maxSeconds());
  }

  /** Dead letters by reason, of the whole run. */
  public DeadLettersAnswer deadLetters() {
    SortedMap<String, DeadLetterFigures> all = new TreeMap<>();
    this.<String, DeadLetterFigures>read(StoreNames.DEAD_LETTERS, all::put);
    List<DeadLettersAnswer.Reason> reasons = new ArrayList<>();
    all.forEach(
        (reason, figures) ->
            reasons.add(new DeadLettersAnswer.Reason(reason, figures.count(), figures.lastAt())));
    return new DeadLettersAnswer(
        reasons.stream().mapToLong(DeadLettersAnswer.Reason::count).sum(), reasons);
  }

  /**
   * Tasks over the newest windows.
   *
   * @param count most windows, in [1, {@link #MAX_WINDOWS}]
   */
  public TasksAnswer tasks(int count) {
    SortedMap<String, TaskFigures> all = new TreeMap<>();
    for (WindowFigures window : windows(count).values()) {
      window.tasks().forEach((task, figures) -> all.merge(task, figures, TaskFigures::plus));
    }
    List<TasksAnswer.Task> tasks = new ArrayList<>();
    all.forEach((task, figures) -> tasks.add(task(task, figures)));
    return new TasksAnswer(tasks);
  }

  private static TasksAnswer.Task task(String task, TaskFigures figures) {
    return new TasksAnswer.Task(
        task,
        figures.groups(),
        figures.responses(),
        quotient(figures.rewardSum(), figures.responses()),
        quotient((double) figures.tokens(), figures.responses()),
        quotient((double) figures.truncated(), figures.responses()),
        figures.finishReasons());
  }

  private static @Nullable Double quotient(double sum, long count) {
    return count == 0 || !Double.isFinite(sum) ? null : Double.valueOf(sum / count);
  }

  /** The newest {@code count} windows, ascending. */
  private SortedMap<Long, WindowFigures> windows(int count) {
    SortedMap<Long, WindowFigures> newest = new TreeMap<>();
    try {
      ReadOnlyKeyValueStore<Long, WindowFigures> store = state.store(StoreNames.WINDOWS);
      try (KeyValueIterator<Long, WindowFigures> all = store.reverseAll()) {
        while (all.hasNext() && newest.size() < count) {
          var window = all.next();
          newest.put(window.key, window.value);
        }
      }
    } catch (InvalidStateStoreException e) {
      throw new NotReadyException("the state cannot be read now", e);
    }
    return Collections.unmodifiableSortedMap(newest);
  }

  private <K, V> void read(String name, BiConsumer<K, V> reader) {
    try {
      ReadOnlyKeyValueStore<K, V> store = state.store(name);
      try (KeyValueIterator<K, V> all = store.all()) {
        all.forEachRemaining(entry -> reader.accept(entry.key, entry.value));
      }
    } catch (InvalidStateStoreException e) {
      throw new NotReadyException("the state cannot be read now", e);
    }
  }
}
