package org.p3ostream.streams.lookup;

import java.util.List;
import java.util.Map;

/**
 * Importance ratios of the tokens of a step, before cap and clip. This module knows no model;
 * whoever starts the service may bring one. Asked by one thread, one call at a time; may take
 * seconds.
 */
public interface TokenRatios {
  /** Knows no ratio. */
  TokenRatios NONE =
      step -> {
        throw new NoRatiosException("no model was given to the service");
      };

  /**
   * Ratios by group id: one array for each response that came to an end, in the order of the
   * record, [tokens]; NaN where a token is not in the loss.
   *
   * @throws NoRatiosException if there are none for good
   * @throws NotReadableException if the log cannot be read now
   */
  Map<Long, List<double[]>> of(long step);
}
