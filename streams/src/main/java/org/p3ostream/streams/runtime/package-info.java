/**
 * The metrics service as a process: its life from waiting for topics to the end. {@link
 * org.p3ostream.streams.runtime.MetricsService} is what the command line uses. One supervising
 * thread owns every client; the stream thread, the follower's thread and the event loop run beside
 * it.
 */
@NullMarked
package org.p3ostream.streams.runtime;

import org.jspecify.annotations.NullMarked;
