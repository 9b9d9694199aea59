package org.p3ostream.deploy.meters;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Every meter that learner and producers have of their own, as {@code docs/metrics.md} lists them.
 */
public enum ProcessMeter {
  LEARNER_PHASE(
      Role.LEARNER,
      Type.TIMER,
      "phase",
      null,
      "phase",
      "time spent in a phase of a step: wait, pre_pass, update, encode, commit (the time for which Kafka holds the learner up), checkpoint"),
  LEARNER_EVENTS(
      Role.LEARNER,
      Type.COUNTER,
      "events",
      null,
      "kind",
      "events committed to the ledger since the start of the process: genesis, step, no_op, interim, control"),
  LEARNER_GROUPS(
      Role.LEARNER,
      Type.COUNTER,
      "groups",
      null,
      null,
      "rollout groups trained since the start of the process"),
  LEARNER_TOKENS(
      Role.LEARNER,
      Type.COUNTER,
      "tokens",
      null,
      null,
      "valid tokens trained since the start of the process"),
  LEARNER_REJECTED_RECORDS(
      Role.LEARNER,
      Type.COUNTER,
      "rejected.records",
      null,
      "reason",
      "rollout records that went to the dead letters, or were passed as wished, since the start of the process, by reason code in lower case"),
  LEARNER_STEP(
      Role.LEARNER,
      Type.GAUGE,
      "step",
      null,
      null,
      "newest step committed by this process; NaN before the first"),
  LEARNER_POLICY_VERSION(
      Role.LEARNER,
      Type.GAUGE,
      "policy.version",
      null,
      null,
      "policy version after it; NaN before the first"),
  LEARNER_LAST_STEP(
      Role.LEARNER,
      Type.GAUGE,
      "last.step.timestamp",
      "seconds",
      null,
      "when it was prepared, seconds since the epoch; NaN before the first"),
  PRODUCER_SAMPLING(
      Role.PRODUCER, Type.TIMER, "sampling", null, null, "time spent sampling a group"),
  PRODUCER_PUBLISHING(
      Role.PRODUCER,
      Type.TIMER,
      "publishing",
      null,
      null,
      "time from the beginning of a transaction of groups to its commit"),
  PRODUCER_GROUPS(
      Role.PRODUCER,
      Type.COUNTER,
      "groups",
      null,
      null,
      "groups published, those given up included"),
  PRODUCER_RESPONSES(Role.PRODUCER, Type.COUNTER, "responses", null, null, "responses published"),
  PRODUCER_TOKENS(Role.PRODUCER, Type.COUNTER, "tokens", null, null, "response tokens published"),
  PRODUCER_FAILED_GROUPS(
      Role.PRODUCER,
      Type.COUNTER,
      "failed.groups",
      null,
      null,
      "groups given up, which are published with the reason"),
  PRODUCER_DROPPED_GROUPS(
      Role.PRODUCER,
      Type.COUNTER,
      "dropped.groups",
      null,
      null,
      "groups sampled in vain, as their partition went to another producer"),
  PRODUCER_RETRIED_TRANSACTIONS(
      Role.PRODUCER,
      Type.COUNTER,
      "retried.transactions",
      null,
      null,
      "transactions that were aborted and sent again"),
  PRODUCER_SKIPPED_PROMPTS(
      Role.PRODUCER,
      Type.COUNTER,
      "skipped.prompts",
      null,
      null,
      "prompts that were undecodable or of another run"),
  PRODUCER_SNAPSHOTS(
      Role.PRODUCER,
      Type.COUNTER,
      "snapshots",
      null,
      "outcome",
      "snapshots of the weights read: loaded, corrupt, refused (of another run or model)"),
  PRODUCER_POLICY_VERSION(
      Role.PRODUCER,
      Type.GAUGE,
      "policy.version",
      null,
      null,
      "newest policy version held; NaN for none");

  /** Which process has it. */
  public enum Role {
    LEARNER,
    PRODUCER;

    /** In lower case. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What kind of meter it is. */
  public enum Type {
    COUNTER,
    GAUGE,
    /** With its median, 95th and 99th percentile over the last minutes. */
    TIMER;

    /** In lower case. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final double[] PERCENTILES = {0.5, 0.95, 0.99};

  private final Role role;
  private final Type type;
  private final String name;
  private final @Nullable String unit;
  private final @Nullable String label;
  private final String description;

  ProcessMeter(
      Role role,
      Type type,
      String name,
      @Nullable String unit,
      @Nullable String label,
      String description) {
    this.role = role;
    this.type = type;
    this.name = name;
    this.unit = unit;
    this.label = label;
    this.description = description;
  }

  /** Which process has it. */
  public Role role() {
    return role;
  }

  public Type type() {
    return type;
  }

  /** Its only label; null if it has none. */
  public @Nullable String label() {
    return label;
  }

  /** What it tells. */
  public String description() {
    return description;
  }

  /** Name in the registry, dots between words. */
  public String meterName() {
    return "p3o." + role + "." + name;
  }

  /** Name in Prometheus, without the endings of a summary. */
  public String prometheusName() {
    String base = meterName().replace('.', '_');
    return switch (type) {
      case COUNTER -> base + "_total";
      case TIMER -> base + "_seconds";
      case GAUGE -> unit == null ? base : base + "_" + unit;
    };
  }

  /** Seconds for what is a time, else what the name says is counted. */
  public String unit() {
    if (type == Type.TIMER) {
      return "seconds";
    }
    return unit == null ? "1" : unit;
  }

  Timer timer(MeterRegistry registry) {
    require(Type.TIMER, label == null);
    return Timer.builder(meterName())
        .description(description)
        .publishPercentiles(PERCENTILES)
        .register(registry);
  }

  Timer timer(MeterRegistry registry, String labelValue) {
    require(Type.TIMER, label != null);
    return Timer.builder(meterName())
        .description(description)
        .tag(String.valueOf(label), labelValue)
        .publishPercentiles(PERCENTILES)
        .register(registry);
  }

  Counter counter(MeterRegistry registry) {
    require(Type.COUNTER, label == null);
    return Counter.builder(meterName()).description(description).register(registry);
  }

  Counter counter(MeterRegistry registry, String labelValue) {
    require(Type.COUNTER, label != null);
    return Counter.builder(meterName())
        .description(description)
        .tag(String.valueOf(label), labelValue)
        .register(registry);
  }

  /** A counter whose value is read when it is asked for. */
  <T> void count(MeterRegistry registry, T source, ToDoubleFunction<T> value) {
    require(Type.COUNTER, label == null);
    FunctionCounter.builder(meterName(), source, value).description(description).register(registry);
  }

  /** The same for one value of the label. */
  <T> void count(MeterRegistry registry, String labelValue, T source, ToDoubleFunction<T> value) {
    require(Type.COUNTER, label != null);
    FunctionCounter.builder(meterName(), source, value)
        .description(description)
        .tag(String.valueOf(label), labelValue)
        .register(registry);
  }

  /** A gauge whose value is read when it is asked for. */
  <T> void gauge(MeterRegistry registry, T source, ToDoubleFunction<T> value) {
    require(Type.GAUGE, label == null);
    Gauge.builder(meterName(), source, value)
        .description(description)
        .baseUnit(unit)
        .strongReference(true)
        .register(registry);
  }

  private void require(Type asked, boolean labelFits) {
    if (asked != type || !labelFits) {
      throw new IllegalArgumentException(this + " is a " + type + " with label " + label);
    }
  }
}
