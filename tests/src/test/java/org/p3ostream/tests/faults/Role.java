package org.p3ostream.tests.faults;

import java.util.List;
import java.util.Locale;

/** The processes of a run that a harness starts, and starts again when they end. */
enum Role {
  LEARNER("-Xmx384m", "learner"),
  PRODUCER_1("-Xmx256m", "producer", "--set", "producer.id=1"),
  PRODUCER_2("-Xmx256m", "producer", "--set", "producer.id=2"),
  STREAMS("-Xmx256m", "streams");

  static final List<Role> PRODUCERS = List.of(PRODUCER_1, PRODUCER_2);

  private final String maxHeap;
  private final List<String> command;

  Role(String maxHeap, String... command) {
    this.maxHeap = maxHeap;
    this.command = List.of(command);
  }

  String maxHeap() {
    return maxHeap;
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
