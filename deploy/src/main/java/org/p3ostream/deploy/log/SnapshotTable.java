package org.p3ostream.deploy.log;

import java.io.PrintWriter;
import java.util.Locale;
import org.p3ostream.schemas.avro.SnapshotManifest;

/** Manifests of snapshots for people: a line each under a head. */
final class SnapshotTable implements RecordSink<SnapshotManifest> {

  private static final String COLUMNS = "%7s  %6s  %-5s  %6s  %12s  %8s  %s";

  private final PrintWriter out;
  private boolean headed;

  SnapshotTable(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void show(LogEntry entry, SnapshotManifest manifest) {
    if (!headed) {
      print("version", "step", "kind", "chunks", "bytes", "offset", "weights SHA-256");
      headed = true;
    }
    print(
        manifest.getVersion(),
        manifest.getStep(),
        manifest.getKind(),
        manifest.getChunkCount(),
        manifest.getTotalBytes(),
        entry.recordOffset(),
        TerminalText.inline(manifest.getSha256()));
  }

  private void print(Object... columns) {
    out.println(String.format(Locale.ROOT, COLUMNS, columns));
    out.flush();
  }
}
