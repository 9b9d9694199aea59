/**
 * The audit of a run on its topics: reads them as a consumer without a group, hands the records to
 * the bookkeeping of the learner module, and shows what it came to. Called by the command line and
 * by tests, on one thread.
 */
@NullMarked
package org.p3ostream.deploy.audit;

import org.jspecify.annotations.NullMarked;
