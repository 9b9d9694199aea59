package org.p3ostream.tests.faults;

/** What can happen to a run. */
enum FaultKind {
  FAILPOINT("learner ends itself at a moment of the step transaction"),
  ZOMBIE("learner stopped at such a moment, another takes over, the first goes on"),
  LEARNER_KILL("kill -9 of the learner"),
  LEARNER_STOP("SIGSTOP of the learner beyond every time-out"),
  PRODUCER_KILL("kill -9 of a producer"),
  PRODUCERS_KILL("kill -9 of all producers"),
  PRODUCER_STOP("SIGSTOP of a producer beyond every time-out"),
  STREAMS_KILL("kill -9 of the metrics service"),
  STREAMS_STOP("SIGSTOP of the metrics service beyond every time-out"),
  BROKER_KILL("kill -9 of the broker, in a cluster of the leader of the ledger"),
  BROKER_STOP("SIGSTOP of that broker beyond every time-out"),
  REGISTRY_KILL("kill -9 of the registry and of the learner, which needs it to start"),
  REGISTRY_STOP("SIGSTOP of the registry beyond every time-out"),
  BLACKOUT("kill -9 of learner, producers, metrics service and broker at once"),
  DUPLICATES("every group of the last windows published again"),
  REORDERED("groups published from behind and twice by another producer"),
  FOREIGN("garbage, other runs and groups nobody dispatched among the rollouts and prompts"),
  DISK_FULL("no space for checkpoints, then kill -9 of the learner"),
  BROKER_DISK_FULL("no space for the data of that broker, which then ends");

  private final String description;

  FaultKind(String description) {
    this.description = description;
  }

  String description() {
    return description;
  }
}
