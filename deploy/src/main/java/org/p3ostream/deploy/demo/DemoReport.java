package org.p3ostream.deploy.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.p3ostream.deploy.progress.RolloutCensus;
import org.p3ostream.deploy.progress.RunStatistics;
import org.p3ostream.learner.ledger.AuditTotals;

/**
 * What a demo run came to; the JSON report holds exactly these.
 *
 * @param steps windows passed
 * @param rewardFirst10 mean training reward of the first {@link #rewardSteps} steps, ten in most
 *     runs
 * @param rewardLast10 the same of the last ones
 * @param evalRewardBefore exact match on held-out prompts, sampled at temperature 1, version 0
 * @param evalRewardAfter the same with the newest version
 * @param essMin smallest normalised ESS of a step
 * @param essMean mean normalised ESS over steps
 * @param stalenessMin smallest token staleness, versions
 * @param stalenessMean mean token staleness, versions
 * @param stalenessMax largest token staleness, versions
 * @param lagWindowsMax most complete windows behind one that was trained
 * @param policyVersion newest policy version
 * @param rolloutGroups groups in the log
 * @param weightsSha256 digest of the newest weights: of the ledger and of the rebuilt snapshot
 * @param wallSeconds from the start of the command to the end of evaluation
 * @param trainSeconds from the first event to the last one, without the time between two learners
 * @param learnerStarts learner processes it took: one more than it was resumed
 * @param generatedTokensPerSecond response tokens in the log per second of training
 * @param trainedTokensPerSecond tokens in a loss per second of training
 * @param groupsByProducer groups by producer id
 * @param phases mean milliseconds of a step by phase
 * @param audit recorded against recomputed behaviour log-probs by producer; empty without an audit
 */
record DemoReport(
    long steps,
    double rewardFirst10,
    double rewardLast10,
    double evalRewardBefore,
    double evalRewardAfter,
    double essMin,
    double essMean,
    long stalenessMin,
    double stalenessMean,
    long stalenessMax,
    int lagWindowsMax,
    long policyVersion,
    long rolloutGroups,
    String weightsSha256,
    double wallSeconds,
    double trainSeconds,
    int learnerStarts,
    double generatedTokensPerSecond,
    double trainedTokensPerSecond,
    Map<String, Long> groupsByProducer,
    Map<String, Double> phases,
    List<AuditTotals.Producer> audit) {

  private static final int REWARD_STEPS = 10;

  static DemoReport of(
      RunStatistics run,
      RolloutCensus census,
      double evalRewardBefore,
      double evalRewardAfter,
      double wallSeconds) {
    double trainSeconds = Math.max(run.trainSeconds(), 1e-3);
    return new DemoReport(
        run.stepsPassed(),
        run.rewardOfFirst(rewardSteps(run.stepsPassed())),
        run.rewardOfLast(rewardSteps(run.stepsPassed())),
        evalRewardBefore,
        evalRewardAfter,
        run.essMin(),
        run.essMean(),
        run.stalenessMin(),
        run.stalenessMean(),
        run.stalenessMax(),
        run.lagWindowsMax(),
        run.policyVersion(),
        census.groups(),
        run.weightsSha256(),
        wallSeconds,
        trainSeconds,
        run.learnerStarts(),
        census.generatedTokens() / trainSeconds,
        run.trainedTokens() / trainSeconds,
        census.groupsByProducer(),
        run.phases(),
        run.audit());
  }

  /** Steps of a mean: ten, or so many fewer that first and last ones do not overlap. */
  static int rewardSteps(long steps) {
    return (int) Math.max(1, Math.min(REWARD_STEPS, steps / 2));
  }

  void write(Path file) {
    try {
      Files.writeString(
          file, new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(this));
    } catch (IOException e) {
      throw new UncheckedIOException("--report-json: cannot write " + file, e);
    }
  }
}
