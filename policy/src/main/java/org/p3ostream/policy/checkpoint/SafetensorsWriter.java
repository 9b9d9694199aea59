package org.p3ostream.policy.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.p3ostream.policy.model.ParameterLayout;

/** Writes a flat float32 vector as a safetensors file, one tensor per slice of its layout. */
public final class SafetensorsWriter {

  private static final int BUFFER_BYTES = 1 << 20;

  private SafetensorsWriter() {}

  /**
   * Writes a new file and forces it to the disk.
   *
   * @param weights flat weights in layout order, [P]
   */
  public static void write(Path path, ParameterLayout layout, float[] weights) throws IOException {
    if (weights.length != layout.size()) {
      throw new IllegalArgumentException(
          weights.length + " weights, the layout has " + layout.size() + " parameters");
    }
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      byte[] header = header(layout);
      drain(channel, ByteBuffer.allocate(header.length).put(header));
      write(channel, weights);
      channel.force(true);
    }
  }

  /** What a file begins with: everything before its data. */
  public static byte[] header(ParameterLayout layout) {
    byte[] json = SafetensorsHeader.format(entries(layout));
    return ByteBuffer.allocate(Long.BYTES + json.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(json.length)
        .put(json)
        .array();
  }

  private static List<SafetensorsHeader.Entry> entries(ParameterLayout layout) {
    List<SafetensorsHeader.Entry> entries = new ArrayList<>();
    for (ParameterLayout.Slice slice : layout.slices()) {
      long begin = slice.elementOffset() * Float.BYTES;
      long end = begin + slice.elementCount() * Float.BYTES;
      String type = TensorType.F32.name();
      entries.add(new SafetensorsHeader.Entry(slice.name(), type, slice.shape(), begin, end));
    }
    return entries;
  }

  private static void write(FileChannel channel, float[] weights) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int start = 0; start < weights.length; start += BUFFER_BYTES / Float.BYTES) {
      int count = Math.min(weights.length - start, BUFFER_BYTES / Float.BYTES);
      buffer.clear();
      buffer.asFloatBuffer().put(weights, start, count);
      buffer.position(count * Float.BYTES);
      drain(channel, buffer);
    }
  }

  private static void drain(FileChannel channel, ByteBuffer buffer) throws IOException {
    buffer.flip();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }
}
