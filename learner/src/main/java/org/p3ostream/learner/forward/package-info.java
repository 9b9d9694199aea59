/**
 * What a forward pass gives for the tokens of a micro-batch: log-probs, distributions, and the
 * recomputed behaviour with the audit of what was recorded. Owns the {@code StepRecipe}, which says
 * what is computed, and the tensors of earlier versions. Called by a replica on its own thread; the
 * train package adds up the figures on the learner thread.
 */
@NullMarked
package org.p3ostream.learner.forward;

import org.jspecify.annotations.NullMarked;
