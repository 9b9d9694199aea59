package org.p3ostream.learner.checkpoint;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.p3ostream.learner.commit.Stage;
import org.p3ostream.learner.commit.StageListener;
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
 *
 * <p>Only checkpoints of the ledger that is written ({@link #adopt adopted} or saved here) count as
 * kept, and only they are removed. Others of the same run id may be all that is left of another
 * ledger (wiped, restored from a backup, of another topic prefix): they stay until the user deletes
 * them.
 */
public final class CheckpointStore {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointStore.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String DESCRIPTION = "checkpoint.json";
  private static final String WEIGHTS = "model.safetensors";
  private static final String FIRST_MOMENT = "first_moment.safetensors";
  private static final String SECOND_MOMENT = "second_moment.safetensors";
  private static final String PARTIAL = ".partial";

  private final Path directory;
  private final ParameterLayout layout;
  private final int kept;
  private final StageListener stages;
  private final List<Checkpoint> own = new ArrayList<>(); // oldest first

  /** Without a listener. */
  public CheckpointStore(Path directory, ParameterLayout layout, int kept) {
    this(directory, layout, kept, StageListener.NONE);
  }

  /**
   * @param directory holds the checkpoints of one run; created if missing
   * @param kept newest checkpoints kept, of those of the ledger that can be read
   * @param stages told of the stages of a save
   */
  public CheckpointStore(Path directory, ParameterLayout layout, int kept, StageListener stages) {
    this.directory = directory;
    this.layout = layout;
    this.kept = kept;
    this.stages = stages;
  }

  /**
   * Says which checkpoints belong to the ledger that is written.
   *
   * @param oldestFirst whole ones, whose events it holds
   */
  public void adopt(List<Checkpoint> oldestFirst) {
    own.clear();
    own.addAll(oldestFirst);
  }

  /** Checkpoints of the ledger that is written, as far as they can be read now, oldest first. */
  public List<Checkpoint> whole() {
    return own.stream().filter(this::isWhole).toList();
  }

  /**
   * Writes a checkpoint, unless it is there and can be read, and removes those of the same ledger
   * that are older than the newest kept ones.
   *
   * @throws IOException if it could not be made durable, whatever the reason; earlier checkpoints
   *     are untouched, and nothing of it is left to fill the disk
   */
  public void save(
      String runId, long step, String eventHash, long policyVersion, OptimizerState state)
      throws IOException {
    Checkpoint checkpoint =
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
    Path target = path(checkpoint);
    Path partial = target.resolveSibling(target.getFileName() + PARTIAL);
    try {
      Files.createDirectories(directory);
      if (!isWhole(checkpoint)) {
        write(partial, target, checkpoint, state);
      }
    } catch (IOException | UncheckedIOException e) {
      discard(partial, e);
      throw new IOException(target + ": " + e, e);
    }
    own.removeIf(other -> path(other).equals(target));
    own.add(checkpoint);
    stages.before(Stage.CHECKPOINT_PRUNE);
    prune(runId);
    stages.after(Stage.CHECKPOINT_PRUNE);
  }

  /** What lies at the target, if anything, is named after the same event but is not its state. */
  private void write(Path partial, Path target, Checkpoint checkpoint, OptimizerState state)
      throws IOException {
    stages.before(Stage.CHECKPOINT_FILES);
    delete(partial);
    Files.createDirectory(partial);
    SafetensorsWriter.write(partial.resolve(WEIGHTS), layout, state.weights());
    SafetensorsWriter.write(partial.resolve(FIRST_MOMENT), layout, state.firstMoment());
    SafetensorsWriter.write(partial.resolve(SECOND_MOMENT), layout, state.secondMoment());
    Files.write(partial.resolve(DESCRIPTION), JSON.writeValueAsBytes(checkpoint));
    force(partial.resolve(DESCRIPTION));
    force(partial);
    stages.after(Stage.CHECKPOINT_FILES);
    stages.before(Stage.CHECKPOINT_RENAME);
    delete(target);
    Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
    force(directory);
    stages.after(Stage.CHECKPOINT_RENAME);
  }

  /** What was written of a checkpoint that failed. */
  private static void discard(Path partial, Exception failure) {
    try {
      delete(partial);
    } catch (IOException | UncheckedIOException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Removes what earlier processes began to write and did not finish. To be called once this
   * process is the only one that writes.
   */
  public void removeUnfinished() {
    for (Path path : entries("step-.*" + Pattern.quote(PARTIAL))) {
      try {
        delete(path);
        LOG.warn("checkpoint {} removed: it was not finished", path);
      } catch (IOException | UncheckedIOException e) {
        LOG.warn("unfinished checkpoint {} cannot be removed: {}", path, e.toString());
      }
    }
  }

  /**
   * Whole and uncorrupted checkpoints of a run, newest first. Others are passed over with a
   * message.
   */
  public List<Checkpoint> usable(String runId) {
    CheckpointInventory inventory = inspect(runId);
    inventory
        .passedOver()
        .forEach(other -> LOG.warn("checkpoint {} passed over: {}", other.path(), other.reason()));
    return inventory.usable();
  }

  /** Reads all of every checkpoint, newest first. */
  public CheckpointInventory inspect(String runId) {
    List<Checkpoint> usable = new ArrayList<>();
    List<CheckpointInventory.PassedOver> passedOver = new ArrayList<>();
    for (Path path : directories()) {
      try {
        Checkpoint checkpoint = describe(path);
        if (!checkpoint.runId().equals(runId)) {
          String reason = "it is of run " + checkpoint.runId();
          passedOver.add(new CheckpointInventory.PassedOver(path, reason, false));
          continue;
        }
        if (!path.equals(path(checkpoint))) {
          throw new IOException("its description belongs to " + path(checkpoint).getFileName());
        }
        requireReadable(path, checkpoint);
        usable.add(checkpoint);
      } catch (IOException | RuntimeException e) { // a damaged file may be anything
        if (Files.exists(path)) { // else its learner has just removed it
          String reason = String.valueOf(e.getMessage());
          passedOver.add(new CheckpointInventory.PassedOver(path, reason, true));
        }
      }
    }
    return new CheckpointInventory(usable, passedOver);
  }

  /** Where a checkpoint lies. */
  public Path path(Checkpoint checkpoint) {
    return directory.resolve(name(checkpoint.step(), checkpoint.eventHash()));
  }

  /** Reads the state of a checkpoint that {@link #usable} gave. */
  public OptimizerState load(Checkpoint checkpoint) throws IOException {
    Path path = path(checkpoint);
    if (!Files.isDirectory(path)) {
      throw new IOException("checkpoint of step " + checkpoint.step() + " is gone");
    }
    return read(path, checkpoint);
  }

  private OptimizerState read(Path path, Checkpoint checkpoint) {
    requireModel(checkpoint);
    return new OptimizerState(
        vector(path.resolve(WEIGHTS), checkpoint.weightsSha256()),
        vector(path.resolve(FIRST_MOMENT), checkpoint.firstMomentSha256()),
        vector(path.resolve(SECOND_MOMENT), checkpoint.secondMomentSha256()),
        checkpoint.updates());
  }

  /** One vector in memory at a time: a run goes on meanwhile. */
  private void requireReadable(Path path, Checkpoint checkpoint) {
    requireModel(checkpoint);
    vector(path.resolve(WEIGHTS), checkpoint.weightsSha256());
    vector(path.resolve(FIRST_MOMENT), checkpoint.firstMomentSha256());
    vector(path.resolve(SECOND_MOMENT), checkpoint.secondMomentSha256());
  }

  private void requireModel(Checkpoint checkpoint) {
    if (!checkpoint.modelHash().equals(layout.modelHash())) {
      throw new IllegalArgumentException("it is of another model, " + checkpoint.modelHash());
    }
  }

  private boolean isWhole(Checkpoint checkpoint) {
    Path path = path(checkpoint);
    try {
      if (!describe(path).equals(checkpoint)) {
        throw new IOException("its description is another than was written");
      }
      requireReadable(path, checkpoint);
      return true;
    } catch (IOException | RuntimeException e) { // a damaged file may be anything
      if (Files.exists(path)) {
        LOG.warn("checkpoint {} does not count: {}", path, e.getMessage());
      }
      return false;
    }
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
    requireHeader(file);
    return vector;
  }

  /** Parts of a header can be damaged without harm to what is read by it. */
  private void requireHeader(Path file) {
    byte[] header = SafetensorsWriter.header(layout);
    try (InputStream in = Files.newInputStream(file)) {
      if (!Arrays.equals(in.readNBytes(header.length), header)) {
        throw new IllegalArgumentException(file + " has another header than was written");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot be read", e);
    }
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
    return entries("step-\\d{8,}-[0-9a-f]{12}");
  }

  /** Newest first. */
  private List<Path> entries(String name) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(directory)) {
      return entries
          .filter(path -> path.getFileName().toString().matches(name))
          .sorted(Comparator.comparing((Path path) -> path.getFileName().toString()).reversed())
          .toList();
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("no checkpoint can be read in {}: {}", directory, e.toString());
      return List.of();
    }
  }

  /** What is newer is read before anything goes: a fault on disk must not leave less than that. */
  private void prune(String runId) {
    List<Checkpoint> ofRun = own.stream().filter(c -> c.runId().equals(runId)).toList();
    if (ofRun.size() <= kept) {
      return;
    }
    int whole = 1; // just written
    for (int i = ofRun.size() - 2; i >= 0; i--) {
      if (whole >= kept) {
        remove(ofRun.get(i));
      } else if (isWhole(ofRun.get(i))) {
        whole++;
      }
    }
  }

  /** One that is not removed only takes up space. */
  private void remove(Checkpoint old) {
    try {
      delete(path(old));
      own.remove(old);
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("checkpoint {} cannot be removed: {}", path(old), e.toString());
    }
  }

  private static void delete(Path checkpoint) throws IOException {
    if (!Files.exists(checkpoint, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> all = Files.walk(checkpoint)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
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
