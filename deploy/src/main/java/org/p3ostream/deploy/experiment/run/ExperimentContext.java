package org.p3ostream.deploy.experiment.run;

import java.util.Map;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.LocalStack;

/**
 * What all runs of an experiment share.
 *
 * @param environment recorded by every run when it begins
 */
record ExperimentContext(
    ExperimentDirectory directory,
    LocalStack stack,
    WarmStarts warmStarts,
    Map<String, String> environment) {

  /**
   * Passes while broker and registry run.
   *
   * @throws org.p3ostream.deploy.stack.ChildDiedException if one of them does not
   */
  void requireStack() {
    stack.processes().forEach(ChildProcess::requireAlive);
  }
}
