/**
 * The hash-chained ledger of step events folded into the state of a run. Pure but for the reader of
 * the topic.
 */
@NullMarked
package org.p3ostream.learner.ledger;

import org.jspecify.annotations.NullMarked;
