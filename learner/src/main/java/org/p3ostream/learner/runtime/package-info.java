/**
 * The learner process: reads the ledger, collects windows, trains, commits steps. One thread owns
 * everything here; only {@link org.p3ostream.learner.runtime.Learner#stop()} may be called from
 * another.
 */
@NullMarked
package org.p3ostream.learner.runtime;

import org.jspecify.annotations.NullMarked;
