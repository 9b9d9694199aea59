/**
 * The producer process. The thread that calls {@link
 * org.p3ostream.rolloutproducer.runtime.RolloutProducer#run()} owns every Kafka client, the codec
 * and the bookkeeping; one generation thread owns the model. They meet in {@link
 * org.p3ostream.rolloutproducer.runtime.GenerationThread} only. Called by the command line.
 */
@NullMarked
package org.p3ostream.rolloutproducer.runtime;

import org.jspecify.annotations.NullMarked;
