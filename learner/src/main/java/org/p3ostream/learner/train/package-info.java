/**
 * One optimizer step on one window: micro-batches, pre-pass, frozen cap, loss, update. Confined to
 * the learner thread.
 */
@NullMarked
package org.p3ostream.learner.train;

import org.jspecify.annotations.NullMarked;
