package org.p3ostream.deploy.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.p3ostream.learner.config.Algorithm;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.KlMode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Constants on the command line are written as in the configuration: in any case, with - or _. */
abstract class SpellingConverter<E extends Enum<E>> implements ITypeConverter<E> {
  private final Class<E> type;

  SpellingConverter(Class<E> type) {
    this.type = type;
  }

  /** Algorithms. */
  static final class OfAlgorithm extends SpellingConverter<Algorithm> {
    OfAlgorithm() {
      super(Algorithm.class);
    }
  }

  /** ESS scopes. */
  static final class OfEssScope extends SpellingConverter<EssScope> {
    OfEssScope() {
      super(EssScope.class);
    }
  }

  /** KL modes. */
  static final class OfKlMode extends SpellingConverter<KlMode> {
    OfKlMode() {
      super(KlMode.class);
    }
  }

  @Override
  public E convert(String value) {
    String name = value.strip().toUpperCase(Locale.ROOT).replace('-', '_');
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equals(name)) {
        return constant;
      }
    }
    throw new TypeConversionException(
        "'%s' must be one of %s"
            .formatted(
                value,
                Arrays.stream(type.getEnumConstants())
                    .map(c -> c.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .collect(Collectors.joining(", "))));
  }
}
