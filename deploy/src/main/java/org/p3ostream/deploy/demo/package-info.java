/**
 * One command that trains a small model through a real broker and registry and reports what
 * happened, measured from the log alone. Owns the child processes and the work directory of a run;
 * called by the command line on the main thread, and closed by it or by a shutdown hook.
 */
@NullMarked
package org.p3ostream.deploy.demo;

import org.jspecify.annotations.NullMarked;
