/**
 * From rollout records to the groups of one step: the contract a record must keep, plain arrays,
 * windows, and the progress through the partitions. Pure; owned by the learner thread.
 */
@NullMarked
package org.p3ostream.learner.window;

import org.jspecify.annotations.NullMarked;
