package org.p3ostream.rolloutproducer.reward;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The rewards a prompt can ask for by name. */
public final class Rewards {

  private static final Map<String, Reward> BY_NAME =
      Map.of(
          ExactMatch.NAME, new ExactMatch(),
          NumericEquality.NAME, new NumericEquality(),
          RegexMatch.NAME, new RegexMatch());

  private Rewards() {}

  public static Optional<Reward> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /** All names, in alphabetical order. */
  public static Set<String> names() {
    return new TreeSet<>(BY_NAME.keySet());
  }
}
