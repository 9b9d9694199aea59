/**
 * What a ledger event says about the consumption of `rollouts`. Pure values; used by every reader.
 */
@NullMarked
package org.p3ostream.schemas.progress;

import org.jspecify.annotations.NullMarked;
