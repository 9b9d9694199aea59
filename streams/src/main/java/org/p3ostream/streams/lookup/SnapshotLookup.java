package org.p3ostream.streams.lookup;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.schemas.avro.SnapshotManifest;

/**
 * Lists the newest manifests. The chunks between them are stepped over, not read: a manifest says
 * how many precede it, so the one before lies just below those (one offset is the end of its
 * transaction). Where that does not hold, for records of an aborted transaction, it is looked for a
 * little further down.
 */
public final class SnapshotLookup {
  /** Most manifests that can be asked for. */
  public static final int MOST = 100;

  /** How far below its place a manifest is looked for. */
  private static final int[] SPANS = {3, 12, 48, 192};

  private final LogReader reader;
  private final TopicPartition snapshots;
  private final NavigableMap<Long, SnapshotView> known = new TreeMap<>();

  public SnapshotLookup(LogReader reader, String snapshotsTopic) {
    this.reader = reader;
    this.snapshots = new TopicPartition(snapshotsTopic, 0);
  }

  /**
   * The newest snapshots, newest first.
   *
   * @param limit most of them, in [1, {@link #MOST}]
   */
  public List<SnapshotView> newest(int limit) {
    var span = reader.span(snapshots);
    long begin = span.getKey();
    known.headMap(begin).clear(); // trimmed
    List<SnapshotView> newest = new ArrayList<>();
    Optional<SnapshotView> next = before(span.getValue(), begin);
    while (next.isPresent()) {
      SnapshotView snapshot = next.get();
      newest.add(snapshot);
      known.put(snapshot.recordOffset(), snapshot);
      next =
          newest.size() == limit
              ? Optional.empty()
              : before(snapshot.recordOffset() - snapshot.chunks(), begin);
    }
    while (known.size() > MOST) {
      known.pollFirstEntry();
    }
    newest.sort(Comparator.comparingLong(SnapshotView::version).reversed());
    return newest;
  }

  private Optional<SnapshotView> before(long bound, long begin) {
    for (int span : SPANS) {
      long from = Math.max(begin, bound - span);
      if (from >= bound) {
        return Optional.empty();
      }
      var seen = known.floorEntry(bound - 1);
      if (seen != null && seen.getKey() >= from) {
        return Optional.of(seen.getValue());
      }
      SnapshotView[] last = new SnapshotView[1];
      reader.read(
          snapshots,
          from,
          bound,
          (offset, record) -> {
            if (record instanceof SnapshotManifest manifest) {
              last[0] = SnapshotView.of(manifest, offset);
            }
          });
      if (last[0] != null) {
        return Optional.of(last[0]);
      }
    }
    return Optional.empty();
  }
}
