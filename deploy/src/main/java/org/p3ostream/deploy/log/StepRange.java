package org.p3ostream.deploy.log;

import org.jspecify.annotations.Nullable;

/**
 * Some steps, which are windows too.
 *
 * @param first first one; null for no bound
 * @param last last one, inclusive; null for no bound
 */
public record StepRange(@Nullable Long first, @Nullable Long last) {

  public StepRange {
    if (first != null && last != null && first > last) {
      throw new IllegalArgumentException("first step " + first + " is above last step " + last);
    }
  }

  /** Whether a step is one of them. */
  public boolean contains(long step) {
    return (first == null || step >= first) && (last == null || step <= last);
  }
}
