package org.p3ostream.learner.window;

import org.jspecify.annotations.Nullable;

/** Which policy versions can be had again, to recompute what they sampled. */
@FunctionalInterface
public interface BehaviorVersions {

  /** Where nothing is ever recomputed. */
  BehaviorVersions NOT_NEEDED = version -> null;

  /** Why the weights of a version cannot be had; null if they can. */
  @Nullable String missing(long version);
}
