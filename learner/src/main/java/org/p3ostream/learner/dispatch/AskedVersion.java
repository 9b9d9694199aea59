package org.p3ostream.learner.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * The weights that a prompt asks to be sampled with.
 *
 * @param policyVersion oldest version that may sample it
 * @param exact whether no other version may
 * @param manifestOffset where in `snapshots` its manifest lies; null if it lies nowhere yet or is
 *     not known
 */
public record AskedVersion(long policyVersion, boolean exact, @Nullable Long manifestOffset) {}
