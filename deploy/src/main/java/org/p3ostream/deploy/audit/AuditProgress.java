package org.p3ostream.deploy.audit;

import java.util.Locale;
import java.util.function.Consumer;

/** Tells every few seconds how far a long audit is. */
final class AuditProgress {

  private static final long EVERY_NANOS = 3_000_000_000L;

  private final long offsets;
  private final Consumer<String> notice;
  private long records;
  private long toldNanos = System.nanoTime();

  /**
   * @param offsets how many there are to read; some hold no record
   */
  AuditProgress(long offsets, Consumer<String> notice) {
    this.offsets = offsets;
    this.notice = notice;
  }

  /** A record has been read. */
  void read() {
    records++;
    if ((records & 0xff) == 0 && System.nanoTime() - toldNanos > EVERY_NANOS) {
      toldNanos = System.nanoTime();
      notice.accept(
          String.format(Locale.ROOT, "audited %,d records of at most %,d", records, offsets));
    }
  }
}
