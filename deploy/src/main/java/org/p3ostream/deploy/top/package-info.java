/**
 * A terminal view of a run: what the server of the metrics answers, as lines that fit a screen.
 * Owns the terminal while it shows; called by the command line on the main thread.
 */
@NullMarked
package org.p3ostream.deploy.top;

import org.jspecify.annotations.NullMarked;
