/**
 * Policy versions from the {@code snapshots} topic: which versions are kept, when to read again.
 * All but {@link org.p3ostream.rolloutproducer.snapshot.SnapshotLog} are pure; everything is
 * confined to the poll thread, except that weights, which nobody changes, are read by the
 * generation thread.
 */
@NullMarked
package org.p3ostream.rolloutproducer.snapshot;

import org.jspecify.annotations.NullMarked;
