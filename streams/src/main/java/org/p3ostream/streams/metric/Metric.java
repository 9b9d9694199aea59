package org.p3ostream.streams.metric;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.StepMetrics;

/**
 * Every metric of the {@code metrics} topic: name, unit, formula and, for those that the learner
 * itself reports, where its value lies in the ledger event. Symbols: ρ = exp(log π_θ − log π_b) per
 * token, before capping; N = valid tokens of the window; e = normalised ESS.
 */
public enum Metric {
  ESS(
      "train/p3o/ess",
      Unit.TOKENS,
      "N e = (sum rho)^2 / (sum rho^2 + 1e-8) over the valid tokens of the window",
      m -> m.getNormalizedEss() * m.getValidTokens()),
  NORMALIZED_ESS(
      "train/p3o/normalized_ess",
      Unit.ONE,
      "e = (sum rho)^2 / (N (sum rho^2 + 1e-8)) over the valid tokens of the window",
      StepMetrics::getNormalizedEss),
  ADAPTIVE_CAP(
      "train/p3o/adaptive_cap",
      Unit.ONE,
      "cap applied to rho in the update; absent for algorithms without one",
      StepMetrics::getAdaptiveCap),
  RATIO_MEAN(
      "train/p3o/policy_ratio_mean",
      Unit.ONE,
      "sum rho / N over the valid tokens of the window",
      StepMetrics::getRatioMean),
  RATIO_MAX(
      "train/p3o/policy_ratio_max",
      Unit.ONE,
      "max rho over the valid tokens of the window",
      StepMetrics::getRatioMax),
  RATIO_STD(
      "train/p3o/policy_ratio_std",
      Unit.ONE,
      "population standard deviation of rho over the valid tokens of the window",
      StepMetrics::getRatioStd),
  CAP_FRACTION(
      "train/p3o/cap_fraction",
      Unit.ONE,
      "tokens with rho above the cap / N; absent for algorithms without a cap",
      StepMetrics::getCapFraction),
  RATIO_ABOVE_ONE_FRACTION(
      "train/p3o/ratio_above_one_fraction",
      Unit.ONE,
      "tokens with rho above 1 / N",
      StepMetrics::getRatioAboveOneFraction),
  BEHAVIOR_KL_PROXY_MEAN(
      "train/p3o/behavior_kl_proxy_mean",
      Unit.ONE,
      "mean over valid tokens of the k3 estimate of KL(pi_theta || pi_b), nats",
      StepMetrics::getBehaviorKlProxyMean),
  BEHAVIOR_KL_EXACT_MEAN(
      "train/p3o/behavior_kl_exact_mean",
      Unit.ONE,
      "mean over valid tokens of KL(pi_theta || pi_b) over the whole vocabulary, nats; absent unless klMode is exact or audit.exactKl is on",
      StepMetrics::getBehaviorKlExactMean),
  ADAPTIVE_KL_LOSS_MEAN(
      "train/p3o/adaptive_kl_loss_mean",
      Unit.ONE,
      "(1 - e) times the mean over valid tokens of the KL that klMode names, as it is in the loss; absent for algorithms without an adaptive KL",
      m -> m.getAdaptiveCap() == null ? null : m.getAdaptiveKlLossMean()),
  ROLLOUT_POLICY_AGE_ROLLOUTS(
      "train/p3o/rollout_policy_age_rollouts",
      Unit.WINDOWS,
      "mean over valid tokens of the windows settled, no-ops included, since the version that sampled the token came into force; absent in a fork",
      StepMetrics::getRolloutPolicyAgeWindows),
  ROLLOUT_POLICY_LAG_STEPS(
      "train/p3o/rollout_policy_lag_steps",
      Unit.VERSIONS,
      "actor_optimizer_step - rollout_policy_snapshot_step, which is staleness_mean"),
  ACTOR_OPTIMIZER_STEP(
      "train/actor_optimizer_step",
      Unit.VERSIONS,
      "updates that made the weights which the window updates: policyVersionBefore"),
  ROLLOUT_POLICY_SNAPSHOT_STEP(
      "train/rollout_policy_snapshot_step",
      Unit.VERSIONS,
      "mean over valid tokens of the policy version that sampled the token"),
  BEHAVIOR_LOGPROB_GAP_MEAN(
      "train/audit/behavior_logprob_gap_mean",
      Unit.ONE,
      "largest over producers of the mean gap between recorded and recomputed behaviour log-probs, nats; absent without an audit",
      m -> largestGap(m, BehaviorLogprobGap::getMean)),
  BEHAVIOR_LOGPROB_GAP_P99(
      "train/audit/behavior_logprob_gap_p99",
      Unit.ONE,
      "largest over producers of the nearest-rank 99th percentile of the same gap, nats; absent without an audit",
      m -> largestGap(m, BehaviorLogprobGap::getP99)),
  BEHAVIOR_LOGPROB_GAP_MAX(
      "train/audit/behavior_logprob_gap_max",
      Unit.ONE,
      "largest gap between a recorded and a recomputed behaviour log-prob, nats; absent without an audit",
      m -> largestGap(m, BehaviorLogprobGap::getMax)),
  KEPT_SET_MISMATCHES(
      "train/kept_set_mismatches",
      Unit.TOKENS,
      "tokens that the filters recomputed from the behaviour snapshot would have removed; absent unless the window was sampled with top-k, top-p or min-p",
      m -> m.getKeptSetMismatches() == null ? null : m.getKeptSetMismatches().doubleValue()),
  ENTROPY_MEAN(
      "train/entropy_mean",
      Unit.ONE,
      "mean over valid tokens of the entropy of pi_theta, nats; absent unless an entropy term is in the loss",
      StepMetrics::getEntropyMean),
  REFERENCE_KL_MEAN(
      "train/reference_kl_mean",
      Unit.ONE,
      "mean over valid tokens of the k3 estimate of KL(pi_theta || pi_ref), pi_ref being version 0, nats; absent unless a reference KL is in the loss",
      StepMetrics::getReferenceKlMean),
  PPO_APPROX_KL(
      "train/ppo/approx_kl",
      Unit.ONE,
      "mean over valid tokens of log pi_b - log pi_theta: the k1 estimate of KL(pi_b || pi_theta), nats",
      StepMetrics::getApproxKl),
  PPO_POLICY_LOSS(
      "train/ppo/policy_loss",
      Unit.ONE,
      "policy part of the loss, of whichever algorithm: sum over valid tokens / N",
      StepMetrics::getPolicyLoss),
  PPO_CLIP_FRACTION(
      "train/ppo/clip_fraction",
      Unit.ONE,
      "tokens whose gradient a clip removed / N; absent for algorithms without a clip",
      StepMetrics::getClipFraction),
  LOSS("train/loss", Unit.ONE, "loss that was back-propagated", StepMetrics::getLoss),
  GRAD_NORM(
      "train/grad_norm",
      Unit.ONE,
      "global L2 norm of the gradient before clipping",
      StepMetrics::getGradNorm),
  LEARNING_RATE(
      "train/learning_rate", Unit.ONE, "learning rate of the step", StepMetrics::getLearningRate),
  NUM_VALID_TOKENS(
      "train/num_valid_tokens",
      Unit.TOKENS,
      "N, tokens in the loss of the window",
      m -> (double) m.getValidTokens()),
  AGE_MEAN(
      "train/age_mean_seconds",
      Unit.SECONDS,
      "mean over groups of training time minus end of generation: age_queue_seconds + age_hold_back_seconds",
      StepMetrics::getAgeMeanSeconds),
  AGE_GENERATION(
      "train/age_generation_seconds",
      Unit.SECONDS,
      "mean over groups of the time spent sampling the group",
      StepMetrics::getAgeGenerationSeconds),
  AGE_QUEUE(
      "train/age_queue_seconds",
      Unit.SECONDS,
      "age_mean_seconds - age_hold_back_seconds; absent in a fork",
      StepMetrics::getAgeQueueSeconds),
  AGE_HOLD_BACK(
      "train/age_hold_back_seconds",
      Unit.SECONDS,
      "time for which the window was complete and next, and waited for those behind it; absent in a fork",
      StepMetrics::getAgeHoldBackSeconds),
  RESPONSE_LENGTH_MEAN(
      "rollout/response_length_mean",
      Unit.TOKENS,
      "mean over responses of the number of sampled tokens",
      StepMetrics::getResponseLengthMean),
  TRUNCATED_FRACTION(
      "rollout/truncated_fraction",
      Unit.ONE,
      "responses that ended by the length limit / responses",
      StepMetrics::getTruncatedFraction),
  STALENESS_MIN(
      "train/staleness_min",
      Unit.VERSIONS,
      "min over the valid tokens of the window of policyVersionBefore - version that sampled the token"),
  STALENESS_MEAN(
      "train/staleness_mean",
      Unit.VERSIONS,
      "mean over the valid tokens of the window of the same difference"),
  STALENESS_P50(
      "train/staleness_p50",
      Unit.VERSIONS,
      "nearest-rank median over the valid tokens of the window of the same difference"),
  STALENESS_P95(
      "train/staleness_p95",
      Unit.VERSIONS,
      "nearest-rank 95th percentile over the valid tokens of the window of the same difference"),
  STALENESS_MAX(
      "train/staleness_max",
      Unit.VERSIONS,
      "max over the valid tokens of the window of the same difference"),
  STALENESS_TOKENS(
      "train/staleness_tokens",
      Unit.TOKENS,
      "valid tokens of the window for which the same difference is s, a point with label `staleness` = s for each s that occurs",
      MetricLabels.OF_NEWEST_STEP),
  REWARD_MEAN(
      "rollout/reward_mean",
      Unit.ONE,
      "sum of rewards / responses over the rollout records that the ledger names as the window, aborted responses left out"),
  LAG_RECORDS(
      "rollout/lag_records",
      Unit.RECORDS,
      "rollout records sent before the event was and neither trained nor skipped by it or an earlier one; absent in a fork"),
  LAG_WINDOWS(
      "rollout/lag_windows",
      Unit.WINDOWS,
      "complete windows behind the one that is trained, as far as the learner had read the topic when it took that one; absent in a fork",
      m -> m.getLagWindows() == null ? null : m.getLagWindows().doubleValue()),
  LAG_SECONDS(
      "rollout/lag_seconds",
      Unit.SECONDS,
      "time of the event minus end of generation of the oldest of the records that lag_records counts; 0 if there are none"),
  TASK_REWARD_MEAN(
      "rollout/task_reward_mean",
      Unit.ONE,
      "sum of rewards / responses over the groups of the window with label `task`, aborted responses left out",
      MetricLabels.RECENT),
  TASK_RESPONSE_LENGTH_MEAN(
      "rollout/task_response_length_mean",
      Unit.TOKENS,
      "mean over the same responses of the number of tokens",
      MetricLabels.RECENT),
  TASK_TRUNCATED_FRACTION(
      "rollout/task_truncated_fraction",
      Unit.ONE,
      "those of the same responses that ended by the length limit / the same responses",
      MetricLabels.RECENT),
  TASK_FINISH_REASON_FRACTION(
      "rollout/task_finish_reason_fraction",
      Unit.ONE,
      "responses of the window with labels `task` and `reason` / responses of it with label `task`, aborted ones in both",
      MetricLabels.RECENT),
  STAGE_LATENCY_MEAN(
      "rollout/stage_latency_mean",
      Unit.SECONDS,
      "mean over the groups of the window of the time between the two ends of label `stage`",
      MetricLabels.ALL),
  STAGE_LATENCY_P50(
      "rollout/stage_latency_p50",
      Unit.SECONDS,
      "median of the same times, to 2.5 %",
      MetricLabels.ALL),
  STAGE_LATENCY_P95(
      "rollout/stage_latency_p95",
      Unit.SECONDS,
      "95th percentile of the same times, to 2.5 %",
      MetricLabels.ALL),
  STAGE_LATENCY_MAX(
      "rollout/stage_latency_max", Unit.SECONDS, "largest of the same times", MetricLabels.ALL),
  PRODUCER_RATE(
      "rollout/producer_rate",
      Unit.GROUPS_PER_SECOND,
      "groups that label `producer` published per second in the last minute of event time",
      MetricLabels.RECENT),
  PRODUCER_THROUGHPUT(
      "rollout/producer_throughput",
      Unit.TOKENS_PER_SECOND,
      "tokens of the same groups per second",
      MetricLabels.RECENT),
  PRODUCER_FAILURES(
      "rollout/producer_failures",
      Unit.RECORDS,
      "groups that label `producer` gave up since it was first seen",
      MetricLabels.RECENT),
  PRODUCER_LAST_SEEN(
      "rollout/producer_last_seen_timestamp",
      Unit.SECONDS,
      "end of generation of the newest group of label `producer`, since the epoch",
      MetricLabels.RECENT),
  PRODUCER_STALENESS_MEAN(
      "rollout/producer_staleness_mean",
      Unit.VERSIONS,
      "mean over the valid tokens of label `producer` in the last 64 to 127 windows of policyVersionBefore - version that sampled the token",
      MetricLabels.RECENT),
  PRODUCER_STALENESS_MAX(
      "rollout/producer_staleness_max",
      Unit.VERSIONS,
      "largest of the same differences",
      MetricLabels.RECENT),
  VERSION_NORMALIZED_ESS(
      "train/version_normalized_ess",
      Unit.ONE,
      "e over all valid tokens that the policy version in label `version` sampled and that were trained up to the step",
      MetricLabels.TOPIC_ONLY),
  DEAD_LETTERS(
      "rollout/dead_letters",
      Unit.RECORDS,
      "records that the learner rejected so far for the reason in label `reason`; belongs to no step",
      MetricLabels.ALL);

  /** Label of {@link #STALENESS_TOKENS}. */
  public static final String STALENESS_LABEL = "staleness";

  /** Label of what is counted by task: the name of a data set. */
  public static final String TASK_LABEL = "task";

  /** Label of finish reasons and of rejection reasons. */
  public static final String REASON_LABEL = "reason";

  /** Label of {@link #STAGE_LATENCY_MEAN} and its likes. */
  public static final String STAGE_LABEL = "stage";

  /** Label of what is counted by producer: its id. */
  public static final String PRODUCER_LABEL = "producer";

  /** Label of {@link #VERSION_NORMALIZED_ESS}: a policy version. */
  public static final String VERSION_LABEL = "version";

  /** Step of points that belong to none. */
  public static final long NO_STEP = -1;

  /** Units as they stand in {@code MetricPoint.unit}. */
  static final class Unit {
    static final String ONE = "1";
    static final String VERSIONS = "versions";
    static final String RECORDS = "records";
    static final String SECONDS = "seconds";
    static final String TOKENS = "tokens";
    static final String WINDOWS = "windows";
    static final String GROUPS_PER_SECOND = "groups_per_second";
    static final String TOKENS_PER_SECOND = "tokens_per_second";

    private Unit() {}
  }

  private static final Map<String, Metric> BY_NAME =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(m -> m.metricName, m -> m));

  private final String metricName;
  private final String unit;
  private final String formula;
  private final MetricLabels labels;

  @SuppressWarnings("ImmutableEnumChecker") // method references and lambdas without state
  private final Function<StepMetrics, @Nullable Double> reading;

  /** A metric derived from the log, not read from the learner's own report. */
  Metric(String metricName, String unit, String formula) {
    this(metricName, unit, formula, MetricLabels.NONE);
  }

  Metric(String metricName, String unit, String formula, MetricLabels labels) {
    this(metricName, unit, formula, labels, metrics -> null);
  }

  Metric(
      String metricName,
      String unit,
      String formula,
      Function<StepMetrics, @Nullable Double> reading) {
    this(metricName, unit, formula, MetricLabels.NONE, reading);
  }

  Metric(
      String metricName,
      String unit,
      String formula,
      MetricLabels labels,
      Function<StepMetrics, @Nullable Double> reading) {
    this.metricName = metricName;
    this.unit = unit;
    this.formula = formula;
    this.labels = labels;
    this.reading = reading;
  }

  private static @Nullable Double largestGap(
      StepMetrics metrics, ToDoubleFunction<BehaviorLogprobGap> figure) {
    OptionalDouble largest = metrics.getBehaviorLogprobGaps().stream().mapToDouble(figure).max();
    return largest.isPresent() ? largest.getAsDouble() : null;
  }

  /** Name and Kafka key in the {@code metrics} topic. */
  public String metricName() {
    return metricName;
  }

  /** Unit as it stands in {@code MetricPoint.unit}; 1 for dimensionless values. */
  public String unit() {
    return unit;
  }

  /** What the value is. */
  public String formula() {
    return formula;
  }

  /** Name of the gauge of this metric: dots for slashes, under {@code p3o}. */
  public String meterName() {
    return "p3o." + metricName.replace('/', '.');
  }

  /** The learner's own value, when it reports one. */
  public Optional<Double> read(StepMetrics metrics) {
    return Optional.ofNullable(reading.apply(metrics));
  }

  /** Whether there is a value for each value of a label, instead of one, and which are shown. */
  public MetricLabels labels() {
    return labels;
  }

  /** A value of this metric. */
  public MetricPoint point(String runId, long step, double value, long eventTime) {
    return point(runId, step, value, eventTime, Map.of());
  }

  /** A value of this metric with labels. */
  public MetricPoint point(
      String runId, long step, double value, long eventTime, Map<String, String> labels) {
    return MetricPoint.newBuilder()
        .setRunId(runId)
        .setName(metricName)
        .setStep(step)
        .setValue(value)
        .setUnit(unit)
        .setLabels(labels)
        .setEventTime(eventTime)
        .build();
  }

  /** The metric called {@code metricName}, if there is one. */
  public static Optional<Metric> named(String metricName) {
    return Optional.ofNullable(BY_NAME.get(metricName));
  }
}
