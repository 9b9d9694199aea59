package org.p3ostream.streams.metric;

/** What labels a metric has, and which of its values {@code /metrics} shows. */
public enum MetricLabels {
  /** None: the newest value. */
  NONE,
  /** Every label of the newest step that has any: a histogram of that step. */
  OF_NEWEST_STEP,
  /** The newest value of every label there ever was; there are few, and they do not change. */
  ALL,
  /**
   * The newest value of every label, until the metric has a point that is {@link #RECENT_MS} of
   * event time newer: labels come and go.
   */
  RECENT,
  /** Nothing: a label that never comes back would leave a series behind for each of its values. */
  TOPIC_ONLY;

  /** How long a value of {@link #RECENT} is shown after it was written, milliseconds. */
  public static final long RECENT_MS = 15 * 60_000L;
}
