/**
 * Client of a Confluent-compatible schema registry and the Kafka serializer and deserializer built
 * on it. Thread-safe; blocks on the network only when a schema is not cached.
 */
@NullMarked
package org.p3ostream.schemas.registry;

import org.jspecify.annotations.NullMarked;
