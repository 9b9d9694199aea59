package org.p3ostream.streams.state;

import org.p3ostream.schemas.ratio.RatioStatistics;

/**
 * Ratio statistics of the tokens that one policy version sampled, merged over the steps that
 * trained them, in the order of the ledger.
 *
 * @param policyVersion version that sampled the tokens
 * @param logSumRatio see {@link RatioStatistics}
 * @param logSumSquaredRatio see {@link RatioStatistics}
 * @param tokenCount valid tokens
 * @param fromStep first step that trained any
 * @param toStep last one
 */
public record VersionFigures(
    long policyVersion,
    double logSumRatio,
    double logSumSquaredRatio,
    long tokenCount,
    long fromStep,
    long toStep) {

  /** Of the tokens of one step. */
  public static VersionFigures of(long policyVersion, RatioStatistics statistics, long step) {
    return new VersionFigures(
        policyVersion,
        statistics.logSumRatio(),
        statistics.logSumSquaredRatio(),
        statistics.tokenCount(),
        step,
        step);
  }

  /** With those of a later step. */
  public VersionFigures plus(VersionFigures later) {
    RatioStatistics both = statistics().merge(later.statistics());
    return new VersionFigures(
        policyVersion,
        both.logSumRatio(),
        both.logSumSquaredRatio(),
        both.tokenCount(),
        fromStep,
        later.toStep);
  }

  /** The sums, for what they give: ESS and mean ratio. */
  public RatioStatistics statistics() {
    return new RatioStatistics(logSumRatio, logSumSquaredRatio, tokenCount);
  }
}
