package org.p3ostream.streams.topology;

import java.util.Map;
import org.p3ostream.streams.metric.Metric;

/** Where the parts of the accounting write their values to. */
@FunctionalInterface
interface PointSink {
  /**
   * Writes a value of the event that is being settled.
   *
   * @param labels empty for none
   */
  void emit(Metric metric, double value, Map<String, String> labels);
}
