package org.p3ostream.deploy.experiment.run;

/** The experiment was asked to end; what was going on is left undone. */
final class StoppedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StoppedException() {
    super("the experiment was interrupted");
  }
}
