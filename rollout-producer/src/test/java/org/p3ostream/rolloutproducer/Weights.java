package org.p3ostream.rolloutproducer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.p3ostream.schemas.snapshot.SnapshotEncoder;
import org.p3ostream.schemas.snapshot.WeightsDigest;

/** Snapshots as a learner writes them: version v has P times the weight v. */
public final class Weights {

  public static final String MODEL_HASH = "model-hash";

  /** Two chunks. */
  public static final int PARAMETERS = SnapshotEncoder.CHUNK_BYTES / Float.BYTES + 3;

  private Weights() {}

  public static float[] of(long version) {
    float[] weights = new float[PARAMETERS];
    Arrays.fill(weights, (float) version);
    return weights;
  }

  /** Chunks and manifest in order. */
  public static List<SpecificRecord> snapshot(long version) {
    return snapshot(PromptTasks.RUN, MODEL_HASH, version, of(version));
  }

  public static List<SpecificRecord> snapshot(
      String runId, String modelHash, long version, float[] weights) {
    SnapshotEncoder.Encoded encoded =
        new SnapshotEncoder(runId, modelHash, List.of())
            .encode(version, version - 1, WeightsDigest.toBytes(weights));
    List<SpecificRecord> records = new ArrayList<>(encoded.chunks());
    records.add(encoded.manifest());
    return records;
  }
}
