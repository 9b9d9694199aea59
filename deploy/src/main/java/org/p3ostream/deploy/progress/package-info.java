/**
 * What a run is doing, read from its log by an independent consumer, and how it is shown. Called by
 * the demo, by studies and by the end of the metrics, on one thread each.
 */
@NullMarked
package org.p3ostream.deploy.progress;

import org.jspecify.annotations.NullMarked;
