package org.p3ostream.deploy.log;

/**
 * Shows records of a topic: for people or as JSON for scripts.
 *
 * @param <T> type of the records
 */
interface RecordSink<T> {

  /** Shows one record. */
  void show(LogEntry entry, T record);
}
