package org.p3ostream.deploy.top;

/** A curve of one line of text. */
final class Sparkline {

  private static final String BLOCKS = "▁▂▃▄▅▆▇█";
  private static final String ASCII = "_.-=*#";

  private Sparkline() {}

  /**
   * The newest {@code width} values, from the lowest to the highest of them.
   *
   * @param values oldest first, [n]
   * @param unicode whether the terminal can show blocks
   */
  static String of(double[] values, int width, boolean unicode) {
    String levels = unicode ? BLOCKS : ASCII;
    int from = Math.max(0, values.length - Math.max(0, width));
    double min = Double.POSITIVE_INFINITY;
    double max = Double.NEGATIVE_INFINITY;
    for (int i = from; i < values.length; i++) {
      min = Math.min(min, values[i]);
      max = Math.max(max, values[i]);
    }
    StringBuilder line = new StringBuilder();
    for (int i = from; i < values.length; i++) {
      double height = max > min ? (values[i] - min) / (max - min) : 0; // in [0, 1]
      line.append(levels.charAt((int) Math.round(height * (levels.length() - 1))));
    }
    return line.toString();
  }
}
