package org.p3ostream.rolloutproducer.reward;

import java.util.Map;

/**
 * A reward and what it is made of.
 *
 * @param value scalar reward, dimensionless
 * @param components named parts
 */
public record Score(double value, Map<String, Double> components) {

  /** Of a response that was not scored: there must be a number, and it stands for nothing. */
  public static final Score NONE = new Score(0, Map.of());

  public Score {
    components = Map.copyOf(components);
  }

  /** 1 or 0, the only component being {@code name}. */
  public static Score pass(String name, boolean passed) {
    double value = passed ? 1 : 0;
    return new Score(value, Map.of(name, value));
  }
}
