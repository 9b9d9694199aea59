package org.p3ostream.schemas.registry;

/**
 * Where a schema stands in the registry.
 *
 * @param subject subject it is registered under
 * @param version version inside the subject, from 1
 * @param id id inside the registry, as in the wire format
 */
public record RegisteredSchema(String subject, int version, int id) {}
