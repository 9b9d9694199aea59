package org.p3ostream.streams.alert;

import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.alert.Alert.Severity;
import org.p3ostream.streams.alert.Alert.State;
import org.p3ostream.streams.alert.Observation.ProducerSilence;
import org.p3ostream.streams.live.RunState;
import org.p3ostream.streams.live.StepView;

/** The rules, in the order in which they are shown. */
public enum AlertRule {
  /** Mean of normalizedEss over the newest steps is below {@link #ESS_FLOOR}. */
  ESS_COLLAPSE(Severity.CRITICAL, "Effective sample size collapsed") {
    @Override
    Finding find(Observation seen) {
      OptionalDouble mean =
          tail(seen.newest(), ESS_STEPS).stream()
              .map(StepView::training)
              .filter(Objects::nonNull)
              .mapToDouble(StepView.Training::normalizedEss)
              .average();
      if (mean.isEmpty()) {
        return Finding.unknown("no step has been trained yet", ESS_FLOOR);
      }
      return Finding.of(
          mean.getAsDouble() < ESS_FLOOR,
          mean.getAsDouble(),
          ESS_FLOOR,
          "normalised ESS %.3f, mean of the newest %d steps; should be at least %.1f",
          mean.getAsDouble(),
          ESS_STEPS,
          ESS_FLOOR);
    }
  },

  /** stalenessMax of the newest trained step is above what the configuration allows. */
  STALENESS_ABOVE_BOUND(Severity.CRITICAL, "Staleness above its bound") {
    @Override
    Finding find(Observation seen) {
      Long bound = seen.stalenessBound();
      StepView.Training training = newestTraining(seen.newest());
      if (bound == null || training == null) {
        return Finding.unknown(
            training == null ? "no step has been trained yet" : "the ledger names no bound",
            bound == null ? null : (Double) bound.doubleValue());
      }
      return Finding.of(
          training.stalenessMax() > bound,
          (double) training.stalenessMax(),
          (double) bound,
          "stalest token of the newest step %d policy versions, configured bound %d",
          training.stalenessMax(),
          bound);
    }
  },

  /** A producer has published nothing for {@link #PRODUCER_SILENCE}, and the run is not over. */
  PRODUCER_SILENT(Severity.WARNING, "Producer silent") {
    @Override
    Finding find(Observation seen) {
      double limit = PRODUCER_SILENCE.toSeconds();
      List<ProducerSilence> producers = seen.producers();
      if (producers == null) {
        return Finding.unknown("figures of producers are not ready", limit);
      }
      List<ProducerSilence> longest =
          producers.stream()
              .filter(producer -> producer.silentSeconds() != null)
              .sorted(Comparator.comparingDouble(ProducerSilence::seconds).reversed())
              .toList();
      if (longest.isEmpty()) {
        return Finding.unknown("no producer has published yet", limit);
      }
      List<String> silent =
          longest.stream()
              .filter(producer -> producer.seconds() > limit)
              .map(ProducerSilence::producerId)
              .toList();
      double most = longest.get(0).seconds();
      return Finding.of(
          !silent.isEmpty() && seen.state() != RunState.FINISHED,
          most,
          limit,
          silent.isEmpty()
              ? "longest silence %.0f s of %s; may be %.0f s"
              : "longest silence %.0f s, nothing from %s; may be %.0f s",
          most,
          silent.isEmpty() ? longest.get(0).producerId() : named(silent),
          limit);
    }
  },

  /** See {@link RunState#STALLED}. */
  LEARNER_STALLED(Severity.CRITICAL, "Learner stalled") {
    @Override
    Finding find(Observation seen) {
      double limit = RunState.patience(seen.newest()).toMillis() / 1000.0;
      Long last =
          seen.newest().isEmpty()
              ? seen.startedAt()
              : (Long) seen.newest().get(seen.newest().size() - 1).committedAt();
      if (last == null) {
        return Finding.unknown("the run has not begun", limit);
      }
      double silent = Math.max(0, seen.now() - last) / 1000.0;
      return Finding.of(
          seen.state() == RunState.STALLED,
          silent,
          limit,
          seen.state() == RunState.FINISHED
              ? "the schedule is through; last step %.0f s ago"
              : "last step %.0f s ago; a stall begins at %.0f s",
          silent,
          limit);
    }
  },

  /** {@link #DEAD_LETTER_COUNT} records or more passed over within {@link #DEAD_LETTER_SPAN}. */
  DEAD_LETTERS_RISING(Severity.WARNING, "Dead letters rising") {
    @Override
    Finding find(Observation seen) {
      return Finding.of(
          seen.recentDeadLetters() >= DEAD_LETTER_COUNT,
          (double) seen.recentDeadLetters(),
          (double) DEAD_LETTER_COUNT,
          "%d records passed over in the last %d min; an alert from %d on",
          seen.recentDeadLetters(),
          DEAD_LETTER_SPAN.toMinutes(),
          DEAD_LETTER_COUNT);
    }
  };

  /** Below this, more than half of the tokens no longer count. */
  public static final double ESS_FLOOR = 0.5;

  /** Newest steps that the mean is taken over. */
  public static final int ESS_STEPS = 10;

  /** Longest time that a producer may publish nothing. */
  public static final Duration PRODUCER_SILENCE = Duration.ofSeconds(60);

  /** Time over which dead letters are counted. */
  public static final Duration DEAD_LETTER_SPAN = Duration.ofMinutes(5);

  /** Dead letters within that time that are too many. */
  public static final int DEAD_LETTER_COUNT = 5;

  private static final int PRODUCERS_NAMED = 5;

  private final Severity severity;
  private final String title;

  AlertRule(Severity severity, String title) {
    this.severity = severity;
    this.title = title;
  }

  /** What a rule found. */
  record Finding(State state, @Nullable Double value, @Nullable Double threshold, String detail) {
    static Finding unknown(String detail, @Nullable Double threshold) {
      return new Finding(State.UNKNOWN, null, threshold, detail);
    }

    static Finding of(
        boolean firing, Double value, Double threshold, String format, Object... numbers) {
      return new Finding(
          firing ? State.FIRING : State.OK,
          value,
          threshold,
          String.format(Locale.ROOT, format, numbers));
    }
  }

  abstract Finding find(Observation seen);

  /** The id of the rule, as in the label {@code alert} of its gauge. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The rule applied. */
  public Alert evaluate(Observation seen) {
    Finding found = find(seen);
    return new Alert(
        id(), severity, title, found.state(), found.detail(), found.value(), found.threshold());
  }

  /** All rules applied, in their order. */
  public static List<Alert> evaluateAll(Observation seen) {
    return Arrays.stream(values()).map(rule -> rule.evaluate(seen)).toList();
  }

  private static List<StepView> tail(List<StepView> steps, int count) {
    return steps.subList(Math.max(0, steps.size() - count), steps.size());
  }

  private static StepView.@Nullable Training newestTraining(List<StepView> steps) {
    for (int i = steps.size() - 1; i >= 0; i--) {
      StepView.Training training = steps.get(i).training();
      if (training != null) {
        return training;
      }
    }
    return null;
  }

  private static String named(List<String> producers) {
    String first =
        String.join(", ", producers.subList(0, Math.min(PRODUCERS_NAMED, producers.size())));
    int more = producers.size() - PRODUCERS_NAMED;
    return more > 0 ? first + " and " + more + " more" : first;
  }
}
