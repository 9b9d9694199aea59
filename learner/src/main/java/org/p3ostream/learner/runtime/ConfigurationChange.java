package org.p3ostream.learner.runtime;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.StepKind;

/** What becomes of a run that is continued with another configuration than the one in force. */
final class ConfigurationChange {
  private ConfigurationChange() {}

  /**
   * The change to record before the run goes on.
   *
   * @param accepted whether the user wants it
   * @return null if nothing changes that the weights depend on
   * @throws ConfigurationException listing the keys that differ, if the user did not ask for a
   *     change, or no run can go on with it
   */
  static @Nullable ControlChange of(LedgerState ledger, RunDefinition current, boolean accepted) {
    RunDefinition inForce = ledger.definition();
    if (inForce.hash().equals(current.hash())) {
      return null;
    }
    List<String> fixed = current.fixedDifferencesFrom(inForce);
    if (!fixed.isEmpty()) {
      throw new ConfigurationException(
          "the configuration is not that of this run, which keeps to its end: "
              + String.join("; ", fixed));
    }
    String differences = String.join("; ", current.differencesFrom(inForce));
    if (!accepted) {
      throw new ConfigurationException(
          "the configuration differs from the one in force since %s: %s; --accept-config-change goes on with it and records the change"
              .formatted(since(ledger), differences));
    }
    return ControlChange.newBuilder()
        .setKind(ControlKind.CONFIGURATION)
        .setDescription(differences)
        .setTrimmed(List.of())
        .build();
  }

  private static String since(LedgerState ledger) {
    return ledger.configuring().getKind() == StepKind.GENESIS
        ? "GENESIS"
        : "step " + ledger.configuring().getStep();
  }
}
