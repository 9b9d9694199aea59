package org.p3ostream.schemas.snapshot;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Bytes and digest of a flat weight vector: float32, little-endian, layout order. */
public final class WeightsDigest {

  private WeightsDigest() {}

  /** The vector as bytes, 4 per element. */
  public static byte[] toBytes(float[] weights) {
    ByteBuffer buffer =
        ByteBuffer.allocate(Math.multiplyExact(weights.length, Float.BYTES))
            .order(ByteOrder.LITTLE_ENDIAN);
    buffer.asFloatBuffer().put(weights);
    return buffer.array();
  }

  /** Inverse of {@link #toBytes}. */
  public static float[] fromBytes(byte[] bytes) {
    if (bytes.length % Float.BYTES != 0) {
      throw new IllegalArgumentException(bytes.length + " bytes are no whole number of float32");
    }
    float[] weights = new float[bytes.length / Float.BYTES];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(weights);
    return weights;
  }

  /** SHA-256 in lower-case hexadecimal. */
  public static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
