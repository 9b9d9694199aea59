package org.p3ostream.deploy.cli;

import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.learner.config.ConfigurationException;
import picocli.CommandLine.ParameterException;

/** What the process tells its caller. */
public final class ExitCode {

  /** Done. */
  public static final int DONE = 0;

  /** Failed; the message says why. */
  public static final int FAILED = 1;

  /** Wrong usage or configuration; nothing was started. */
  public static final int USAGE = 2;

  /** Another process took over; a restart would fight it. */
  public static final int FENCED = 3;

  private ExitCode() {}

  /** The exit code of a command that ended with {@code failure}. */
  static int of(Throwable failure) {
    if (failure instanceof ConfigException
        || failure instanceof ConfigurationException
        || failure instanceof org.apache.kafka.common.config.ConfigException
        || failure.getCause() instanceof org.apache.kafka.common.config.ConfigException
        || failure instanceof ParameterException) {
      return USAGE;
    }
    boolean fenced =
        failure instanceof org.p3ostream.learner.commit.FencedException
            || failure instanceof org.p3ostream.rolloutproducer.runtime.FencedException;
    return fenced ? FENCED : FAILED;
  }
}
