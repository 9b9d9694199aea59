package org.p3ostream.streams.lookup;

import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.streams.live.GroupIndex.TrainedGroup;

/** Groups as they are shown, for tests of what shows them. */
public final class GroupViews {
  private GroupViews() {}

  /** Without texts of tokens. */
  public static GroupView of(RolloutGroup group, TrainedGroup at) {
    return GroupLookup.view(group, at, TokenDecoder.NONE);
  }
}
