/**
 * Where bytes become records and records bytes. A value that cannot be read is a value like any
 * other here ({@link org.p3ostream.schemas.serde.Decoded.Rejected}), so that no record can stop a
 * topology; only a registry that stays away does. One codec belongs to one thread.
 */
@NullMarked
package org.p3ostream.streams.edge;

import org.jspecify.annotations.NullMarked;
