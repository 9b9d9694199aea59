package org.p3ostream.schemas.registry;

/** What a registry demands of a new version of a subject. */
public enum CompatibilityLevel {
  NONE,
  BACKWARD,
  BACKWARD_TRANSITIVE,
  FORWARD,
  FORWARD_TRANSITIVE,
  FULL,
  FULL_TRANSITIVE
}
