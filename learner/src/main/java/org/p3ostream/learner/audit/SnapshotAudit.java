package org.p3ostream.learner.audit;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.snapshot.SnapshotAssembler;

/** Every version of the ledger has one snapshot, which holds its weights. */
final class SnapshotAudit {

  /** What the ledger says of a version. */
  private record Recorded(String where, long step, String weightsSha256) {}

  /** What a manifest and its chunks came to. */
  private record Rebuilt(String where, long step, String sha256, boolean known) {}

  private final AuditScope scope;
  private final Problems problems;
  private final TrimAudit trims;
  private final String topic;
  private final SnapshotAssembler assembler = new SnapshotAssembler();
  private final Map<Long, Recorded> recorded = new TreeMap<>(); // by version, until it is rebuilt
  private final Map<Long, Rebuilt> rebuilt = new TreeMap<>(); // by version, until it is recorded
  private final SparseBits seen = new SparseBits();
  private @Nullable Runnable cutByATrim; // names the oldest snapshot, if it is not whole
  private long openChunks;
  private String firstOpenChunk = "";
  private boolean openIsKnown;
  private boolean anyManifest;
  private long firstSeen = Long.MAX_VALUE;
  private long good;
  private long trimmed;

  SnapshotAudit(AuditScope scope, Problems problems, TrimAudit trims) {
    this.scope = scope;
    this.problems = problems;
    this.trims = trims;
    this.topic = scope.topics().snapshots().name();
  }

  /** Takes an event; GENESIS and STEP make a version. */
  void event(String where, StepEvent event) {
    if (event.getKind() != StepKind.GENESIS && event.getKind() != StepKind.STEP) {
      return;
    }
    long version = event.getPolicyVersionAfter();
    Recorded made = new Recorded(where, event.getStep(), event.getWeightsSha256());
    Rebuilt snapshot = rebuilt.remove(version);
    if (snapshot != null) {
      compare(version, made, snapshot);
    } else if (!seen.contains(version)) {
      recorded.putIfAbsent(version, made); // of a repeated event the first one counts
    }
  }

  /** Takes the next record of the topic. */
  void record(AuditedRecord record) {
    SnapshotChunk chunk = record.as(SnapshotChunk.class);
    SnapshotManifest manifest = record.as(SnapshotManifest.class);
    if (chunk != null) {
      add(record, chunk);
    } else if (manifest != null) {
      close(record, manifest);
    } else {
      problems.add(
          ProblemKind.UNREADABLE,
          record.coordinate(),
          "neither chunk nor manifest: %s",
          record.description());
    }
  }

  private void add(AuditedRecord record, SnapshotChunk chunk) {
    if (chunk.getIndex() == 0) {
      requireClosed();
    }
    if (openChunks == 0) {
      firstOpenChunk = record.coordinate();
    }
    openIsKnown = scope.isKnown(record);
    openChunks++;
    assembler.add(chunk);
  }

  /** Chunks that no manifest follows. */
  private void requireClosed() {
    if (openChunks > 0 && openIsKnown) {
      problems.add(
          ProblemKind.SNAPSHOT_CORRUPT,
          firstOpenChunk,
          "%d chunks from here on that no manifest closes",
          openChunks);
    }
    openChunks = 0;
  }

  private void close(AuditedRecord record, SnapshotManifest manifest) {
    long version = manifest.getVersion();
    String where = record.coordinate();
    boolean first = !anyManifest;
    anyManifest = true;
    openChunks = 0;
    SnapshotAssembler.Outcome outcome = assembler.close(manifest);
    if (!manifest.getRunId().equals(scope.runId())) {
      problems.add(
          ProblemKind.FOREIGN_RUN,
          where,
          "a snapshot of run '%s', this is run '%s'",
          manifest.getRunId(),
          scope.runId());
      return;
    }
    if (!seen.add(version)) {
      problems.add(ProblemKind.SNAPSHOT_TWICE, where, "a second snapshot of version %d", version);
      return;
    }
    if (outcome instanceof SnapshotAssembler.Corrupt damaged) {
      corrupt(where, version, first, damaged);
      return;
    }
    firstSeen = Math.min(firstSeen, version);
    Rebuilt snapshot =
        new Rebuilt(where, manifest.getStep(), manifest.getSha256(), scope.isKnown(record));
    Recorded made = recorded.remove(version);
    if (made == null) {
      rebuilt.put(version, snapshot);
    } else {
      compare(version, made, snapshot);
    }
  }

  /** A trim may cut the oldest snapshot in two. */
  private void corrupt(
      String where, long version, boolean first, SnapshotAssembler.Corrupt damaged) {
    recorded.remove(version);
    if (first && scope.firstOffset(topic, 0) > 0) {
      cutByATrim = () -> addCorrupt(where, version, damaged); // every trim is known at the end
    } else {
      addCorrupt(where, version, damaged);
    }
  }

  private void addCorrupt(String where, long version, SnapshotAssembler.Corrupt damaged) {
    problems.add(ProblemKind.SNAPSHOT_CORRUPT, where, "version %d: %s", version, damaged.cause());
  }

  private void compare(long version, Recorded made, Rebuilt snapshot) {
    if (!made.weightsSha256().equals(snapshot.sha256()) || made.step() != snapshot.step()) {
      problems.add(
          ProblemKind.SNAPSHOT_MISMATCH,
          snapshot.where(),
          "version %d of step %d holds weights %s, %s has step %d and weights %s",
          version,
          snapshot.step(),
          snapshot.sha256(),
          made.where(),
          made.step(),
          made.weightsSha256());
    } else {
      good++;
    }
  }

  void finish() {
    requireClosed();
    if (!scope.exists(topic)) {
      return;
    }
    boolean isTrimmed = trims.isTrimmed(topic, 0);
    if (cutByATrim != null && isTrimmed) {
      trimmed++;
    } else if (cutByATrim != null) {
      cutByATrim.run();
    }
    recorded.forEach(
        (version, made) -> {
          if (isTrimmed && version < firstSeen) {
            trimmed++;
          } else {
            problems.add(
                ProblemKind.SNAPSHOT_MISSING,
                made.where(),
                "makes version %d, which has no snapshot in %s",
                version,
                topic);
          }
        });
    rebuilt.forEach(
        (version, snapshot) -> {
          if (snapshot.known()) {
            problems.add(
                ProblemKind.SNAPSHOT_UNRECORDED,
                snapshot.where(),
                "a snapshot of version %d, which the ledger does not have",
                version);
          }
        });
  }

  /** Versions that hold the weights of the ledger. */
  long good() {
    return good;
  }

  long trimmed() {
    return trimmed;
  }
}
