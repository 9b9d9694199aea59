package org.p3ostream.deploy.progress;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.ledger.AuditTotals;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.StepMetrics;

/** Figures of a run, from its ledger. Means are over steps that trained. */
public final class RunStatistics {

  /** What is kept of a step that trained. */
  private record Trained(PhaseDurations phases, StepMetrics metrics) {}

  private final List<Trained> trained = new ArrayList<>();
  private @Nullable StepEvent last;
  private long trainMillis;
  private int learnerStarts;
  private long stepsPassed;

  /** Takes the next event of the ledger. */
  public void add(StepEvent event) {
    if (last != null && last.getLearnerEpoch() == event.getLearnerEpoch()) {
      trainMillis += event.getCommittedAt() - last.getCommittedAt();
    } else {
      learnerStarts++;
    }
    last = event;
    if (event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP) {
      stepsPassed = event.getStep() + 1;
    }
    if (event.getKind() == StepKind.STEP && event.getMetrics() != null) {
      trained.add(new Trained(event.getPhases(), event.getMetrics()));
    }
  }

  /** Whether the window before {@code steps} has been passed. */
  public boolean hasPassed(long steps) {
    return stepsPassed >= steps;
  }

  /** Windows passed so far. */
  public long stepsPassed() {
    return stepsPassed;
  }

  public boolean hasTrained() {
    return !trained.isEmpty();
  }

  /** Metrics of the newest step that trained; null before the first. */
  public @Nullable StepMetrics newest() {
    return trained.isEmpty() ? null : trained.get(trained.size() - 1).metrics();
  }

  /** Digest of the newest weights; empty before the first event. */
  public String weightsSha256() {
    return last == null ? "" : last.getWeightsSha256();
  }

  /** Newest policy version. */
  public long policyVersion() {
    return last == null ? 0 : last.getPolicyVersionAfter();
  }

  /** Mean reward of the first {@code count} steps. */
  public double rewardOfFirst(int count) {
    return mean(trained.subList(0, Math.min(count, trained.size())), StepMetrics::getRewardMean);
  }

  /** Mean reward of the last {@code count} steps. */
  public double rewardOfLast(int count) {
    return mean(
        trained.subList(Math.max(0, trained.size() - count), trained.size()),
        StepMetrics::getRewardMean);
  }

  public double essMin() {
    return trained.stream().mapToDouble(t -> t.metrics().getNormalizedEss()).min().orElse(0);
  }

  public double essMean() {
    return mean(trained, StepMetrics::getNormalizedEss);
  }

  /** Smallest token staleness, versions. */
  public long stalenessMin() {
    return trained.stream().mapToLong(t -> t.metrics().getStalenessMin()).min().orElse(0);
  }

  /** Mean token staleness, versions: every token counts once. */
  public double stalenessMean() {
    double sum =
        trained.stream()
            .mapToDouble(t -> t.metrics().getStalenessMean() * t.metrics().getValidTokens())
            .sum();
    return trainedTokens() == 0 ? 0 : sum / trainedTokens();
  }

  /** Largest token staleness, versions. */
  public long stalenessMax() {
    return trained.stream().mapToLong(t -> t.metrics().getStalenessMax()).max().orElse(0);
  }

  /** Most complete windows that lay behind one that was trained; 0 if no step says. */
  public int lagWindowsMax() {
    return trained.stream()
        .map(t -> t.metrics().getLagWindows())
        .filter(Objects::nonNull)
        .mapToInt(lag -> lag)
        .max()
        .orElse(0);
  }

  /** Tokens that were in a loss. */
  public long trainedTokens() {
    return trained.stream().mapToLong(t -> t.metrics().getValidTokens()).sum();
  }

  /** What the audit of behaviour log-probs came to, by producer id; empty without one. */
  public List<AuditTotals.Producer> audit() {
    AuditTotals totals = new AuditTotals();
    trained.forEach(t -> totals.add(t.metrics().getBehaviorLogprobGaps()));
    return totals.byProducer();
  }

  /**
   * From the first event of every learner process to its last, seconds: while nobody trained, no
   * time passes.
   */
  public double trainSeconds() {
    return trainMillis / 1e3;
  }

  /** Learner processes that committed something: one more than the run was resumed. */
  public int learnerStarts() {
    return learnerStarts;
  }

  /** Where the time of a step goes: mean milliseconds per phase. */
  public Map<String, Double> phases() {
    Map<String, Double> phases = new LinkedHashMap<>();
    phases.put("waitMillis", phase(PhaseDurations::getWaitMillis));
    phases.put("prePassMillis", phase(PhaseDurations::getPrePassMillis));
    phases.put("updateMillis", phase(PhaseDurations::getUpdateMillis));
    phases.put("encodeMillis", phase(PhaseDurations::getEncodeMillis));
    phases.put("commitMillis", phase(PhaseDurations::getPreviousCommitMillis));
    phases.put("checkpointMillis", phase(PhaseDurations::getPreviousCheckpointMillis));
    return phases;
  }

  private double phase(ToDoubleFunction<PhaseDurations> duration) {
    return trained.stream().map(Trained::phases).mapToDouble(duration).average().orElse(0);
  }

  private static double mean(List<Trained> steps, ToDoubleFunction<StepMetrics> value) {
    return steps.stream().map(Trained::metrics).mapToDouble(value).average().orElse(0);
  }
}
