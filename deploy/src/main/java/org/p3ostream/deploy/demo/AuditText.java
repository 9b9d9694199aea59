package org.p3ostream.deploy.demo;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.p3ostream.learner.ledger.AuditTotals.Producer;

/** What the audit of behaviour log-probs came to, in a line for people. */
final class AuditText {

  static final String NAME = "behaviour log-probs";

  private AuditText() {}

  /** The gap over the tokens of all producers, and who was beyond the bounds in a step. */
  static String of(List<Producer> audit) {
    long tokens = audit.stream().mapToLong(Producer::tokens).sum();
    double gaps = audit.stream().mapToDouble(p -> p.mean() * p.tokens()).sum();
    double max = audit.stream().mapToDouble(Producer::max).max().orElseThrow();
    return String.format(
        Locale.ROOT,
        "audited: mean gap %.1e, max %.1e nats over %,d tokens, %s",
        gaps / tokens,
        max,
        tokens,
        verdict(audit));
  }

  private static String verdict(List<Producer> audit) {
    List<Producer> beyond = audit.stream().filter(p -> p.stepsBeyond() > 0).toList();
    return beyond.isEmpty()
        ? "every producer within bounds"
        : beyond.stream()
            .map(p -> "producer %s in %d steps".formatted(p.producerId(), p.stepsBeyond()))
            .collect(Collectors.joining(", ", "beyond the bounds: ", ""));
  }
}
