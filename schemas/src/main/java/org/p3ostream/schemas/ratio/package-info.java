/**
 * Mergeable importance-ratio statistics. Pure values, no I/O; used by the learner's pre-pass, the
 * step events and streams, on any thread.
 */
@NullMarked
package org.p3ostream.schemas.ratio;

import org.jspecify.annotations.NullMarked;
