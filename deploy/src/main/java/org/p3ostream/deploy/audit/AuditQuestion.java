package org.p3ostream.deploy.audit;

import org.jspecify.annotations.Nullable;

/**
 * What is asked besides whether everything is right.
 *
 * @param version which groups trained this policy version; null for no such question
 * @param groupId what happened to this group; null for no such question
 */
public record AuditQuestion(@Nullable Long version, @Nullable Long groupId) {

  /** Nothing besides. */
  public static final AuditQuestion NONE = new AuditQuestion(null, null);
}
