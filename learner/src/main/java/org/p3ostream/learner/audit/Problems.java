package org.p3ostream.learner.audit;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts every problem, and keeps the first ones of each kind. */
final class Problems {

  /** Problems of one kind that are kept: enough to see what they have in common. */
  static final int KEPT = 100;

  private final Map<ProblemKind, Long> counts = new EnumMap<>(ProblemKind.class);
  private final List<Problem> kept = new ArrayList<>();

  void add(ProblemKind kind, String where, String format, @Nullable Object... values) {
    if (counts.merge(kind, 1L, Long::sum) <= KEPT) {
      kept.add(new Problem(kind, where, String.format(Locale.ROOT, format, values)));
    }
  }

  Map<ProblemKind, Long> counts() {
    return new EnumMap<>(counts);
  }

  List<Problem> kept() {
    return List.copyOf(kept);
  }
}
