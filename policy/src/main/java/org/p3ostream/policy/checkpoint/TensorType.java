package org.p3ostream.policy.checkpoint;

import java.nio.ByteBuffer;

/** Element types of a safetensors file that convert to float32. */
enum TensorType {
  F32(4) {
    @Override
    float next(ByteBuffer bytes) {
      return bytes.getFloat();
    }
  },
  F16(2) {
    @Override
    float next(ByteBuffer bytes) {
      return halfToFloat(bytes.getShort());
    }
  },
  /** The upper half of a float32. */
  BF16(2) {
    @Override
    float next(ByteBuffer bytes) {
      return Float.intBitsToFloat(bytes.getShort() << 16);
    }
  };

  private final int sizeBytes;

  TensorType(int sizeBytes) {
    this.sizeBytes = sizeBytes;
  }

  int sizeBytes() {
    return sizeBytes;
  }

  /** Takes one little-endian element. */
  abstract float next(ByteBuffer bytes);

  /** IEEE 754 binary16: 1 sign, 5 exponent (bias 15) and 10 fraction bits. Exact in float32. */
  private static float halfToFloat(short bits) {
    int exponent = (bits >>> 10) & 0x1f;
    int fraction = bits & 0x3ff;
    float magnitude;
    if (exponent == 0x1f) {
      magnitude = fraction == 0 ? Float.POSITIVE_INFINITY : Float.NaN;
    } else if (exponent == 0) {
      magnitude = fraction * 0x1p-24f; // subnormal
    } else {
      magnitude = Math.scalb(1 + fraction * 0x1p-10f, exponent - 15);
    }
    return bits < 0 ? -magnitude : magnitude;
  }
}
