/**
 * One optimizer step on one window: pre-pass, frozen contexts, losses, update, and the figures of
 * it all. Owns the order of a step and the refusal of what is not finite; the packages batch,
 * forward, loss and replica do the parts. Called by the run loop, confined to the learner thread.
 */
@NullMarked
package org.p3ostream.learner.train;

import org.jspecify.annotations.NullMarked;
