/**
 * What of the log may be deleted: from the ledger and the checkpoints alone. Pure; owned by the
 * learner thread.
 */
@NullMarked
package org.p3ostream.learner.trim;

import org.jspecify.annotations.NullMarked;
