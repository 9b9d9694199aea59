package org.p3ostream.policy.precision;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.p3ostream.policy.model.ParameterLayout;

/**
 * What the weight matrices of a model are rounded to before it samples. Rounded weights are float32
 * again: the arithmetic of the model is that of {@link #FLOAT32} whatever they were rounded to.
 *
 * <pre>
 *   s_i = max_j |w_ij| / q_max,   ŵ_ij = s_i · Q(w_ij / s_i),   [float32 throughout]
 *   int8:  q_max = 127,  Q(x) = x to the nearest integer, ties to even, within ±127
 *   int4:  q_max = 7,    Q(x) = x to the nearest integer, ties to even, within ±7
 *   fp8:   q_max = 448,  Q(x) = x to the nearest value of E4M3, ties to even, within ±448
 * </pre>
 *
 * Symmetric, without a zero point; one scale per row i, which is one output of the matrix. A row
 * whose scale is 0 in float32 stays as it is. Rounded are the matrices of the decoder layers (q, k,
 * v, o, gate, up, down). Not rounded, as usual where models are served: the embedding, which with
 * tied weights is the output head as well, a head of its own, and the weights of the norms.
 */
public enum WeightPrecision {
  /** Not rounded. */
  FLOAT32(Float.NaN),
  /** Floating point with four bits of exponent and three of mantissa, {@link E4m3}. */
  FP8(E4m3.MAX),
  /** 255 integers. */
  INT8(127),
  /** 15 integers. */
  INT4(7);

  private static final String LAYERS = "model.layers.";

  private final float largest; // q_max

  WeightPrecision(float largest) {
    this.largest = largest;
  }

  /** How records and configurations spell it. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The one that is spelled so. */
  public static Optional<WeightPrecision> of(String id) {
    return Arrays.stream(values()).filter(precision -> precision.id().equals(id)).findFirst();
  }

  /** All that there are, as they are spelled. */
  public static List<String> ids() {
    return Arrays.stream(values()).map(WeightPrecision::id).toList();
  }

  /**
   * Rounds the matrices among flat weights.
   *
   * @param weights in layout order, [P]; not changed
   * @return [P]; {@code weights} itself if nothing is to be rounded
   * @throws IllegalArgumentException if a row has a weight that is not finite
   */
  public float[] round(ParameterLayout layout, float[] weights) {
    if (weights.length != layout.size()) {
      throw new IllegalArgumentException(
          weights.length + " weights, the model has " + layout.size() + " parameters");
    }
    if (this == FLOAT32) {
      return weights;
    }
    float[] rounded = weights.clone(); // [P]
    for (ParameterLayout.Slice slice : layout.slices()) {
      if (isRounded(slice)) {
        int columns = Math.toIntExact(slice.shape().get(1));
        long end = slice.elementOffset() + slice.elementCount();
        for (long from = slice.elementOffset(); from < end; from += columns) {
          roundRow(rounded, Math.toIntExact(from), columns, slice.name());
        }
      }
    }
    return rounded;
  }

  private static boolean isRounded(ParameterLayout.Slice slice) {
    return slice.shape().size() == 2 && slice.name().startsWith(LAYERS);
  }

  private void roundRow(float[] weights, int from, int columns, String name) {
    float magnitude = 0;
    for (int i = from; i < from + columns; i++) {
      magnitude = Math.max(magnitude, Math.abs(weights[i])); // NaN wins
    }
    if (!Float.isFinite(magnitude)) {
      throw new IllegalArgumentException(
          name + ": a row with the magnitude " + magnitude + " cannot be rounded to " + id());
    }
    float scale = magnitude / largest;
    if (scale == 0) {
      return;
    }
    for (int i = from; i < from + columns; i++) {
      weights[i] = scale * nearest(weights[i] / scale);
    }
  }

  /** Q. */
  private float nearest(float x) {
    return this == FP8
        ? E4m3.nearest(x)
        : Math.max(-largest, Math.min(largest, (float) Math.rint(x)));
  }
}
