package org.p3ostream.learner.config;

import java.util.Locale;

/** How a configuration file spells a constant. */
final class Spelling {

  private Spelling() {}

  static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
