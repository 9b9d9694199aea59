/**
 * The tables of a study, and their text as Markdown and CSV: results in, text out. Without files,
 * clients or clocks; one thread at a time.
 */
@NullMarked
package org.p3ostream.deploy.experiment.table;

import org.jspecify.annotations.NullMarked;
