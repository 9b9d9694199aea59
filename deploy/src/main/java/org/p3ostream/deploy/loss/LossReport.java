package org.p3ostream.deploy.loss;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an objective says of the tokens of a step.
 *
 * @param algorithm id of the objective, with its variant
 * @param engine java or torch
 * @param ess one per micro-batch; null where it has no valid token to measure
 * @param cap bound of the ratio, one per micro-batch where they differ and else one; null for an
 *     objective without one
 * @param loss sum of the losses of the tokens, divided by the valid ones; null without any
 * @param tokenLoss loss of each token before that division, in the order of the file; 0 where
 *     masked
 * @param gradient d loss / d logprob of each token; 0 where masked
 * @param validTokens N
 * @param capFraction valid tokens whose ratio is above the cap
 * @param clipFraction valid tokens that the clip acted on
 * @param ratioMean mean of the raw ratio over the valid tokens
 * @param ratioStd its population standard deviation
 * @param ratioMax its maximum
 * @param behaviorKlProxyMean mean of k3, nats
 */
@SuppressWarnings("ArrayRecordComponent") // a bundle for the printers, never compared
record LossReport(
    String algorithm,
    String engine,
    List<@Nullable Double> ess,
    @Nullable List<@Nullable Double> cap,
    @Nullable Double loss,
    double[] tokenLoss,
    double[] gradient,
    long validTokens,
    @Nullable Double capFraction,
    @Nullable Double clipFraction,
    @Nullable Double ratioMean,
    @Nullable Double ratioStd,
    @Nullable Double ratioMax,
    @Nullable Double behaviorKlProxyMean) {}
