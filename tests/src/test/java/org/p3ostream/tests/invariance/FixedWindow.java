package org.p3ostream.tests.invariance;

import java.util.List;
import org.p3ostream.schemas.avro.RolloutGroup;

/**
 * A window as records.
 *
 * @param name as in the table
 * @param groups in group order
 */
record FixedWindow(String name, List<RolloutGroup> groups) {
  FixedWindow {
    groups = List.copyOf(groups);
  }
}
