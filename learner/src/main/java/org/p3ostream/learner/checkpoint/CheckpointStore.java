package org.p3ostream.learner.checkpoint;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.policy.checkpoint.SafetensorsReader;
import org.p3ostream.policy.checkpoint.SafetensorsWriter;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checkpoints as directories {@code step-NNNNNNNN-HASH}: the description and one safetensors file
 * each for weights and moments. A directory appears whole or not at all (written aside, forced to
 * disk, renamed).
 */
public final class CheckpointStore {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointStore.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String DESCRIPTION = "checkpoint.json";
  private static final String WEIGHTS = "model.safetensors";
  private static final String FIRST_MOMENT = "first_moment.safetensors";
  private static final String SECOND_MOMENT = "second_moment.safetensors";
  private static final List<String> FILES =
      List.of(DESCRIPTION, WEIGHTS, FIRST_MOMENT, SECOND_MOMENT);

  private final Path directory;
  private final ParameterLayout layout;
  private final int kept;

  /**
   * @param directory holds the checkpoints of one run; created if missing
   * @param kept newest checkpoints kept
   */
  public CheckpointStore(Path directory, ParameterLayout layout, int kept) {
    this.directory = directory;
    this.layout = layout;
    this.kept = kept;
  }

  /**
   * Writes a checkpoint and removes those of the same run that are older than the newest kept ones.
   *
   * @throws IOException if it could not be made durable; earlier checkpoints are untouched
   */
  public void save(
      String runId, long step, String eventHash, long policyVersion, OptimizerState state)
      throws IOException {
    Files.createDirectories(directory);
    String name = name(step, eventHash);
    Path target = directory.resolve(name);
    if (Files.exists(target)) {
      return;
    }
    Path partial = directory.resolve(name + ".partial");
    delete(partial);
    Files.createDirectory(partial);
    SafetensorsWriter.write(partial.resolve(WEIGHTS), layout, state.weights());
    SafetensorsWriter.write(partial.resolve(FIRST_MOMENT), layout, state.firstMoment());
    SafetensorsWriter.write(partial.resolve(SECOND_MOMENT), layout, state.secondMoment());
    Checkpoint description =
        new Checkpoint(
            runId,
            layout.modelHash(),
            step,
            eventHash,
            policyVersion,
            state.updates(),
            digest(state.weights()),
            digest(state.firstMoment()),
            digest(state.secondMoment()));
    Files.write(partial.resolve(DESCRIPTION), JSON.writeValueAsBytes(description));
    force(partial.resolve(DESCRIPTION));
    force(partial);
    Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
    force(directory);
    prune(runId);
  }

  /**
   * Whole and uncorrupted checkpoints of a run, newest first. Others are passed over with a
   * message.
   */
  public List<Checkpoint> usable(String runId) {
    List<Checkpoint> usable = new ArrayList<>();
    for (Path path : directories()) {
      try {
        Checkpoint checkpoint = describe(path);
        if (!checkpoint.runId().equals(runId)) {
          LOG.warn("checkpoint {} passed over: it is of run {}", path, checkpoint.runId());
          continue;
        }
        read(path, checkpoint);
        usable.add(checkpoint);
      } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
        LOG.warn("checkpoint {} passed over: {}", path, e.getMessage());
      }
    }
    return usable;
  }

  /**
   * Descriptions of the checkpoints of a run, newest first, whether or not what they describe can
   * be read.
   */
  public List<Checkpoint> described(String runId) {
    List<Checkpoint> described = new ArrayList<>();
    for (Path path : directories()) {
      try {
        Checkpoint checkpoint = describe(path);
        if (checkpoint.runId().equals(runId)) {
          described.add(checkpoint);
        }
      } catch (IOException e) {
        LOG.debug("checkpoint {} has no description", path, e);
      }
    }
    return described;
  }

  /** Reads the state of a checkpoint that {@link #usable} gave. */
  public OptimizerState load(Checkpoint checkpoint) throws IOException {
    Path path = directory.resolve(name(checkpoint.step(), checkpoint.eventHash()));
    if (!Files.isDirectory(path)) {
      throw new IOException("checkpoint of step " + checkpoint.step() + " is gone");
    }
    return read(path, checkpoint);
  }

  private OptimizerState read(Path path, Checkpoint checkpoint) {
    if (!checkpoint.modelHash().equals(layout.modelHash())) {
      throw new IllegalArgumentException("it is of another model, " + checkpoint.modelHash());
    }
    return new OptimizerState(
        vector(path.resolve(WEIGHTS), checkpoint.weightsSha256()),
        vector(path.resolve(FIRST_MOMENT), checkpoint.firstMomentSha256()),
        vector(path.resolve(SECOND_MOMENT), checkpoint.secondMomentSha256()),
        checkpoint.updates());
  }

  private float[] vector(Path file, String sha256) {
    float[] vector = new float[layout.size()]; // [P]
    try (SafetensorsReader reader = SafetensorsReader.open(file)) {
      for (ParameterLayout.Slice slice : layout.slices()) {
        reader.read(slice.name(), vector, Math.toIntExact(slice.elementOffset()));
      }
    }
    String found = digest(vector);
    if (!found.equals(sha256)) {
      throw new IllegalArgumentException(file + " has digest " + found + ", expected " + sha256);
    }
    return vector;
  }

  private static Checkpoint describe(Path path) throws IOException {
    Checkpoint checkpoint = JSON.readValue(path.resolve(DESCRIPTION).toFile(), Checkpoint.class);
    if (checkpoint == null) {
      throw new IOException("its description is empty");
    }
    return checkpoint;
  }

  private static String name(long step, String eventHash) {
    return "step-%08d-%s".formatted(step + 1, eventHash.substring(0, 12));
  }

  private List<Path> directories() {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(directory)) {
      return entries
          .filter(path -> path.getFileName().toString().matches("step-\\d{8}-[0-9a-f]{12}"))
          .sorted(Comparator.comparing((Path path) -> path.getFileName().toString()).reversed())
          .toList();
    } catch (IOException e) {
      LOG.warn("no checkpoint can be read in {}: {}", directory, e.toString());
      return List.of();
    }
  }

  private void prune(String runId) throws IOException {
    List<Path> ofRun = directories().stream().filter(path -> belongsTo(path, runId)).toList();
    for (Path old : ofRun.subList(Math.min(kept, ofRun.size()), ofRun.size())) {
      delete(old);
    }
  }

  private static boolean belongsTo(Path path, String runId) {
    try {
      return describe(path).runId().equals(runId);
    } catch (IOException e) {
      return false;
    }
  }

  private static void delete(Path checkpoint) throws IOException {
    for (String file : FILES) {
      Files.deleteIfExists(checkpoint.resolve(file));
    }
    Files.deleteIfExists(checkpoint);
  }

  private static void force(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static String digest(float[] vector) {
    return WeightsDigest.sha256(WeightsDigest.toBytes(vector));
  }
}
