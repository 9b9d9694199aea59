/**
 * The report of a study: a page with plots that opens without a network, its Markdown twin, and its
 * tables as CSV. Called by the command line, on one thread.
 */
@NullMarked
package org.p3ostream.deploy.experiment.report;

import org.jspecify.annotations.NullMarked;
