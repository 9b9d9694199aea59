/**
 * Prompts with reference answers: files of them and generators of synthetic ones. No tensors, no
 * Kafka.
 */
@NullMarked
package org.p3ostream.learner.task;

import org.jspecify.annotations.NullMarked;
