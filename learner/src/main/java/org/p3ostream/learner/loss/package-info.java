/**
 * Token losses with a graph: the TorchScript twins of the objectives, their regularization, and
 * their sum over a micro-batch. Owns the scripts. Called by a replica on its own thread; the
 * command {@code p3o loss} calls {@code TorchLosses} on its own.
 */
@NullMarked
package org.p3ostream.learner.loss;

import org.jspecify.annotations.NullMarked;
