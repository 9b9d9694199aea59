package org.p3ostream.deploy.log;

/**
 * A stretch of a partition.
 *
 * @param nextOffset first offset in it
 * @param endOffset first offset behind it
 */
public record Span(long nextOffset, long endOffset) {
  boolean isEmpty() {
    return nextOffset >= endOffset;
  }
}
