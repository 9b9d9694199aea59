package org.p3ostream.deploy.audit;

import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.audit.AuditReport;
import org.p3ostream.learner.audit.GroupHistory;
import org.p3ostream.learner.audit.VersionOrigin;

/**
 * What an audit came to, and what was asked besides.
 *
 * @param version null unless a version was asked for
 * @param group null unless a group was asked for
 */
public record AuditAnswer(
    AuditReport report, @Nullable VersionOrigin version, @Nullable GroupHistory group) {}
