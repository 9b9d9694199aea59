package org.p3ostream.policy.checkpoint;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads float32, float16 and bfloat16 tensors of a safetensors file as float32. Layout of the file:
 * header size (8 bytes, little-endian), JSON header, data.
 */
public final class SafetensorsReader implements AutoCloseable {

  /** Limit of the reference implementation. */
  private static final long MAX_HEADER_BYTES = 100_000_000;

  private static final int BUFFER_BYTES = 1 << 20;

  private final Path path;
  private final FileChannel channel;
  private final long dataStart;
  private final Map<String, SafetensorsHeader.Entry> entries;

  private SafetensorsReader(
      Path path,
      FileChannel channel,
      long dataStart,
      Map<String, SafetensorsHeader.Entry> entries) {
    this.path = path;
    this.channel = channel;
    this.dataStart = dataStart;
    this.entries = entries;
  }

  /**
   * Opens a file and checks its header.
   *
   * @throws IllegalArgumentException naming path, tensor and rule if the header is not sound
   */
  public static SafetensorsReader open(Path path) {
    try {
      FileChannel channel = FileChannel.open(path);
      try {
        return open(path, channel);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(path + ": cannot be read", e);
    }
  }

  /** Names of the tensors, in the order of the data. */
  public Set<String> names() {
    return entries.keySet();
  }

  /** Shape of a tensor. */
  public List<Long> shape(String name) {
    return entry(name).shape();
  }

  /**
   * Reads a tensor, row-major, into {@code target} from {@code targetIndex} on.
   *
   * @throws IllegalArgumentException if its type has no exact float32 form, or it does not fit
   */
  public void read(String name, float[] target, int targetIndex) {
    SafetensorsHeader.Entry entry = entry(name);
    TensorType type = type(entry);
    long count = elementCount(entry);
    if (count * type.sizeBytes() != entry.end() - entry.begin()) {
      throw fault(
          entry,
          String.format(
              "shape %s of %s does not take %d bytes",
              entry.shape(), type, entry.end() - entry.begin()));
    }
    if (targetIndex < 0 || count > target.length - targetIndex) {
      throw fault(entry, count + " elements do not fit at " + targetIndex + " of " + target.length);
    }
    try {
      read(type, dataStart + entry.begin(), target, targetIndex, (int) count);
    } catch (IOException e) {
      throw new UncheckedIOException(path + ": tensor " + name + " cannot be read", e);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(path + ": cannot be closed", e);
    }
  }

  private static SafetensorsReader open(Path path, FileChannel channel) throws IOException {
    long fileBytes = channel.size();
    if (fileBytes < Long.BYTES) {
      throw new IllegalArgumentException(
          path + ": " + fileBytes + " bytes are too few for a safetensors header");
    }
    ByteBuffer size = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    fill(channel, size, 0);
    long headerBytes = size.getLong();
    if (headerBytes < 0 || headerBytes > MAX_HEADER_BYTES || headerBytes > fileBytes - Long.BYTES) {
      throw new IllegalArgumentException(
          path + ": header of " + headerBytes + " bytes in a file of " + fileBytes);
    }
    ByteBuffer json = ByteBuffer.allocate((int) headerBytes);
    fill(channel, json, Long.BYTES);
    long dataStart = Long.BYTES + headerBytes;
    try {
      return new SafetensorsReader(
          path, channel, dataStart, SafetensorsHeader.parse(json.array(), fileBytes - dataStart));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(path + ": " + e.getMessage(), e);
    }
  }

  private SafetensorsHeader.Entry entry(String name) {
    SafetensorsHeader.Entry entry = entries.get(name);
    if (entry == null) {
      throw new IllegalArgumentException(path + ": tensor " + name + " is missing");
    }
    return entry;
  }

  private TensorType type(SafetensorsHeader.Entry entry) {
    for (TensorType type : TensorType.values()) {
      if (type.name().equals(entry.dtype())) {
        return type;
      }
    }
    throw fault(entry, "type " + entry.dtype() + " is none of F32, F16, BF16");
  }

  private long elementCount(SafetensorsHeader.Entry entry) {
    try {
      return entry.shape().stream().reduce(1L, Math::multiplyExact);
    } catch (ArithmeticException e) {
      throw fault(entry, "shape " + entry.shape() + " has too many elements");
    }
  }

  private void read(TensorType type, long position, float[] target, int start, int count)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    int done = 0;
    while (done < count) {
      int part = Math.min(count - done, BUFFER_BYTES / type.sizeBytes());
      buffer.clear().limit(part * type.sizeBytes());
      fill(channel, buffer, position + (long) done * type.sizeBytes());
      for (int i = 0; i < part; i++) {
        target[start + done + i] = type.next(buffer);
      }
      done += part;
    }
  }

  /** Fills the buffer from a position of the file and flips it. */
  private static void fill(FileChannel channel, ByteBuffer buffer, long position)
      throws IOException {
    while (buffer.hasRemaining()) {
      int count = channel.read(buffer, position + buffer.position());
      if (count < 0) {
        throw new EOFException("file ends at byte " + (position + buffer.position()));
      }
    }
    buffer.flip();
  }

  private IllegalArgumentException fault(SafetensorsHeader.Entry entry, String rule) {
    return new IllegalArgumentException(path + ": tensor " + entry.name() + ": " + rule);
  }
}
