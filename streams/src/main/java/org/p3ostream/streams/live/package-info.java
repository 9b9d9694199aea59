/**
 * What the server shows: the steps of the ledger and the latest value of every metric, kept up to
 * date by a reader of its own. The reader is one thread with one consumer and one codec; what it
 * fills may be read from any thread.
 */
@NullMarked
package org.p3ostream.streams.live;

import org.jspecify.annotations.NullMarked;
