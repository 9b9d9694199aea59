package org.p3ostream.deploy.experiment.outcome;

/**
 * A version on held-out prompts.
 *
 * @param step steps that were done
 * @param reward fraction of answers, sampled at temperature 1, that are right
 */
public record Evaluated(long step, double reward) {}
