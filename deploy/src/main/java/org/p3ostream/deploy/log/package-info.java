/**
 * The topics of a run shown to people and scripts: bounded reading in the order of time, joining
 * what belongs together across topics, and rendering that is safe for a terminal. Reads only, with
 * consumers that belong to no group. Called by the command line on one thread. Texts and ratios of
 * tokens are for the metrics service, which asks for them on a thread of its own.
 */
@NullMarked
package org.p3ostream.deploy.log;

import org.jspecify.annotations.NullMarked;
