package org.p3ostream.streams.server;

import java.util.List;
import java.util.Optional;
import org.p3ostream.streams.live.GroupIndex.TrainedGroup;
import org.p3ostream.streams.lookup.GroupRatios;
import org.p3ostream.streams.lookup.GroupView;
import org.p3ostream.streams.lookup.NoRatiosException;
import org.p3ostream.streams.lookup.NotReadableException;
import org.p3ostream.streams.lookup.SnapshotView;

/** Where single records come from. May block; asked by one worker thread, one call at a time. */
public interface RecordSource {
  /**
   * A trained group; empty if it is no longer in the log.
   *
   * @param rolloutsPrefix prefix of the topics that it lies in
   * @throws NotReadableException if the log cannot be read now
   */
  Optional<GroupView> group(String rolloutsPrefix, TrainedGroup at);

  /**
   * Ratios of the tokens of a trained group.
   *
   * @throws NoRatiosException if there are none for good
   * @throws NotReadableException if the log cannot be read now
   */
  GroupRatios ratios(TrainedGroup at);

  /**
   * The newest snapshots, newest first.
   *
   * @throws NotReadableException if the log cannot be read now
   */
  List<SnapshotView> snapshots(int limit);
}
