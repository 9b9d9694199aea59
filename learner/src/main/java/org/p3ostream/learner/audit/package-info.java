/**
 * Whether the topics of a run prove what its ledger says. Pure: takes decoded records with their
 * coordinates, in any interleaving of the topics, and believes none of them; reads nothing itself.
 * Called by whoever reads the topics, on one thread.
 */
@NullMarked
package org.p3ostream.learner.audit;

import org.jspecify.annotations.NullMarked;
