package org.p3ostream.tests.fuzz;

import java.util.Arrays;
import org.p3ostream.schemas.avro.RejectionReason;

/**
 * What must become of each record, by partition and offset: one byte each, so that a hundred
 * thousand of them are no load of their own. Filled from the clients' threads.
 */
final class Labels {

  /** Keeps the contract: must be trained. */
  static final byte VALID = -1;

  /** Must be rejected, whatever the reason. */
  static final byte REJECTED = -2;

  private static final byte NONE = -3;

  private final byte[][] byPartition;
  private final int[] ends;

  Labels(int partitions) {
    this.byPartition = new byte[partitions][1024];
    this.ends = new int[partitions];
  }

  static byte of(RejectionReason reason) {
    return (byte) reason.ordinal();
  }

  static String text(byte label) {
    return switch (label) {
      case VALID -> "VALID";
      case REJECTED -> "REJECTED";
      case NONE -> "no record";
      default -> RejectionReason.values()[label].name();
    };
  }

  synchronized void put(int partition, long recordOffset, byte label) {
    int at = Math.toIntExact(recordOffset);
    while (at >= byPartition[partition].length) {
      int length = byPartition[partition].length;
      byPartition[partition] = Arrays.copyOf(byPartition[partition], 2 * length);
    }
    Arrays.fill(byPartition[partition], ends[partition], Math.max(ends[partition], at), NONE);
    byPartition[partition][at] = label;
    ends[partition] = Math.max(ends[partition], at + 1);
  }

  synchronized byte at(int partition, long recordOffset) {
    return recordOffset < ends[partition] ? byPartition[partition][(int) recordOffset] : NONE;
  }

  synchronized long endOffset(int partition) {
    return ends[partition];
  }

  int partitions() {
    return ends.length;
  }
}
