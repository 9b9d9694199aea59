/**
 * From a prompt task and the weights of its variants to a rollout group. Tensors live on the
 * generation thread alone; {@link org.p3ostream.rolloutproducer.generation.TaskRules}, {@link
 * org.p3ostream.rolloutproducer.generation.Mixture} and {@link
 * org.p3ostream.rolloutproducer.generation.GroupAssembler} are pure.
 */
@NullMarked
package org.p3ostream.rolloutproducer.generation;

import org.jspecify.annotations.NullMarked;
