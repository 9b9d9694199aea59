/**
 * Which prompt is asked for when, and which group is awaited. Pure; owned by the learner thread.
 */
@NullMarked
package org.p3ostream.learner.dispatch;

import org.jspecify.annotations.NullMarked;
