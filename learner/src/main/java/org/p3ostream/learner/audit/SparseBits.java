package org.p3ostream.learner.audit;

import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * A set of numbers at about a bit each where they lie close together, as ids and offsets do. A
 * number that lies far away, out of a damaged record, costs a piece of its own and no more.
 */
final class SparseBits {

  private static final int PIECE_BITS = 12;
  private static final int PIECE = 1 << PIECE_BITS;

  private final TreeMap<Long, BitSet> pieces = new TreeMap<>();
  private long size;

  /** Adds a number; false if it was in the set. */
  boolean add(long number) {
    BitSet piece = pieces.computeIfAbsent(number >> PIECE_BITS, key -> new BitSet(PIECE));
    int bit = (int) (number & (PIECE - 1));
    if (piece.get(bit)) {
      return false;
    }
    piece.set(bit);
    size++;
    return true;
  }

  boolean contains(long number) {
    BitSet piece = pieces.get(number >> PIECE_BITS);
    return piece != null && piece.get((int) (number & (PIECE - 1)));
  }

  long size() {
    return size;
  }

  /** Hands on the numbers in [from, to), ascending. */
  void forEach(long from, long to, LongConsumer sink) {
    if (from >= to) {
      return;
    }
    for (Map.Entry<Long, BitSet> piece :
        pieces.subMap(from >> PIECE_BITS, true, (to - 1) >> PIECE_BITS, true).entrySet()) {
      long base = piece.getKey() << PIECE_BITS;
      piece.getValue().stream()
          .mapToLong(bit -> base + bit)
          .filter(number -> number >= from && number < to)
          .forEach(sink);
    }
  }
}
