package org.p3ostream.tests.faults;

import java.util.List;
import java.util.Locale;

/** The processes of a run that a harness starts, and starts again when they end. */
enum Role {
  LEARNER("learner"),
  PRODUCER_1("producer", "--set", "producer.id=1"),
  PRODUCER_2("producer", "--set", "producer.id=2"),
  STREAMS("streams");

  static final List<Role> PRODUCERS = List.of(PRODUCER_1, PRODUCER_2);

  private final List<String> command;

  Role(String... command) {
    this.command = List.of(command);
  }

  /** Arguments of the command line. */
  List<String> command() {
    return command;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
