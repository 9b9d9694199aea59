package org.p3ostream.learner.replica;

import ai.djl.ndarray.NDArray;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.batch.Partitioning;
import org.p3ostream.learner.batch.WindowPartition;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.model.CausalLm;

/**
 * What the kept graphs of a window take, by the resident set of this process (Linux). They are held
 * until closed, so that the next measurement does not find their memory free.
 */
public final class GraphMemory implements AutoCloseable {

  private static final Path STATM = Path.of("/proc/self/statm");
  private static final int PAGE_BYTES = 4096;
  private static final int ALL = Integer.MAX_VALUE;

  private final NDArray parameters;
  private final ReplicaGroup replicas;
  private final double bytesPerToken;

  /**
   * Keeps the graphs of a window.
   *
   * @param microBatchTokens token budget of a micro-batch
   */
  public GraphMemory(CausalLm model, float[] weights, Window window, int microBatchTokens) {
    Partitioning one = Partitioning.on(model.manager().getDevice(), 1, microBatchTokens, ALL);
    parameters = model.parameters(weights);
    parameters.setRequiresGradient(true);
    replicas = new ReplicaGroup(model, parameters, StepRecipe.of(new P3o()), one.devices());
    WindowPartition partition = WindowPartition.cut(model.config().padTokenId(), one).apply(window);
    List<MicroBatch> batches = partition.of(0, 0, partition.rounds().size());
    Replica replica = replicas.first();
    replica.forward(batches.subList(0, 1), ALL); // what is made once is not counted
    replica.release();
    long before = residentBytes();
    replica.forward(batches, ALL);
    int counted =
        batches.subList(1, batches.size()).stream().mapToInt(MicroBatch::paddedTokens).sum();
    bytesPerToken = (double) (residentBytes() - before) / counted;
  }

  /** Bytes per padded token; NaN where the system does not tell. */
  public double bytesPerToken() {
    return Files.exists(STATM) ? bytesPerToken : Double.NaN;
  }

  private static long residentBytes() {
    try {
      return Files.exists(STATM)
          ? Long.parseLong(Files.readString(STATM).split(" ")[1]) * PAGE_BYTES
          : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(STATM.toString(), e);
    }
  }

  @Override
  public void close() {
    replicas.first().release();
    replicas.close();
    parameters.close();
  }
}
