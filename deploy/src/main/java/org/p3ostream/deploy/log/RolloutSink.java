package org.p3ostream.deploy.log;

/** Shows rollout groups: as text for people or as JSON for scripts. */
public sealed interface RolloutSink permits RolloutText, RolloutJson {

  /** Shows one group. */
  void show(RolloutView view);
}
