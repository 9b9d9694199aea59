package org.p3ostream.streams.server;

/**
 * How one part of the service is doing.
 *
 * @param holds whether it is as it should be
 * @param detail the same for a person; no secrets
 */
public record Condition(boolean holds, String detail) {}
