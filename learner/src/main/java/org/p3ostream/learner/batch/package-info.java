/**
 * A window cut up: micro-batches as plain arrays, dealt out to replicas in rounds. Owns the layout
 * of rows, columns and tokens, and the {@code Partitioning}; makes no array of the engine. The
 * train package cuts on the learner thread; what is cut is read by the threads of all replicas and
 * changed by none.
 */
@NullMarked
package org.p3ostream.learner.batch;

import org.jspecify.annotations.NullMarked;
