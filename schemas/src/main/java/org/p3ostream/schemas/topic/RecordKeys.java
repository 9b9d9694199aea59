package org.p3ostream.schemas.topic;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Keys on the wire: numbers as Kafka's {@code LongSerializer} writes them, names as UTF-8. */
public final class RecordKeys {

  private RecordKeys() {}

  /** Eight bytes, big-endian. */
  public static byte[] of(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  /** The number in a key; empty if it holds none. */
  public static OptionalLong number(byte @Nullable [] key) {
    return key != null && key.length == Long.BYTES
        ? OptionalLong.of(ByteBuffer.wrap(key).getLong())
        : OptionalLong.empty();
  }

  /** UTF-8. */
  public static byte[] of(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }
}
