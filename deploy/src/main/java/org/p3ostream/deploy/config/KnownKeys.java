package org.p3ostream.deploy.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Help for a key that does not exist. */
final class KnownKeys {

  private static final int MAX_EDITS = 3;

  private KnownKeys() {}

  /** The end of a message: the nearest known key, if one is near, and all of them. */
  static String hint(String key, Collection<String> known) {
    String nearest = nearest(key, known).map(n -> "; did you mean " + n + "?").orElse("");
    return nearest
        + " (known here: "
        + known.stream().sorted().collect(Collectors.joining(", "))
        + ")";
  }

  /** The known key with the fewest edits to {@code key}, if few enough. */
  static Optional<String> nearest(String key, Collection<String> known) {
    return known.stream()
        .filter(candidate -> edits(key, candidate) <= Math.min(MAX_EDITS, key.length() / 2))
        .min(Comparator.comparingInt(candidate -> edits(key, candidate)));
  }

  /** Levenshtein distance, letter case aside. */
  private static int edits(String left, String right) {
    String a = left.toLowerCase(Locale.ROOT);
    String b = right.toLowerCase(Locale.ROOT);
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
      }
      previous = current;
    }
    return previous[b.length()];
  }
}
