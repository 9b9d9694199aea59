/**
 * The edge between bytes on a topic and records: one codec around whichever Kafka serializer and
 * deserializer the configuration names. Safe for use by one thread at a time.
 */
@NullMarked
package org.p3ostream.schemas.serde;

import org.jspecify.annotations.NullMarked;
