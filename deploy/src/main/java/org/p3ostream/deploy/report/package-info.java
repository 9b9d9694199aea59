/**
 * The report of a run: a page with plots that opens without a network, and all its steps as CSV.
 * Steps go in, text comes out; only {@link org.p3ostream.deploy.report.ReportDirectory} touches
 * files. Called by the commands that end a run or read one; one thread at a time.
 */
@NullMarked
package org.p3ostream.deploy.report;

import org.jspecify.annotations.NullMarked;
