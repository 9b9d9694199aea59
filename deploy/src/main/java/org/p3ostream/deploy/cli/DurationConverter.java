package org.p3ostream.deploy.cli;

import java.time.Duration;
import org.p3ostream.deploy.config.DurationFormat;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations on the command line are written as in the configuration. */
final class DurationConverter implements ITypeConverter<Duration> {

  @Override
  public Duration convert(String value) {
    try {
      return DurationFormat.parse(value);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("'" + value + "' " + e.getMessage());
    }
  }
}
