/**
 * The copies of the policy and their threads: one replica's forward and backward pass over its
 * share, and the sum of all gradients. Owns the graphs that are kept in between, the threads and
 * the weights of every copy but the first. The train package calls the group on the learner thread,
 * which is also the thread of replica 0.
 */
@NullMarked
package org.p3ostream.learner.replica;

import org.jspecify.annotations.NullMarked;
