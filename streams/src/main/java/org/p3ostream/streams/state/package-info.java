/**
 * What the topology knows of a run, as values of its state stores: written by the one stream
 * thread, read by queries from any. Pure values; how each grows and where it ends is said in the
 * package of the topology.
 */
@NullMarked
package org.p3ostream.streams.state;

import org.jspecify.annotations.NullMarked;
