package org.p3ostream.learner.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterLayout;

class CheckpointStoreTest {

  static final ParameterLayout LAYOUT = layout(1e4);
  private static final int KEPT = 2;

  @TempDir private Path directory;
  private CheckpointStore store;

  @BeforeEach
  void open() {
    store = new CheckpointStore(directory.resolve("checkpoints"), LAYOUT, KEPT);
  }

  @Test
  void usableIsEmptyWhenNothingWasSaved() {
    assertThat(store.usable("run-a")).isEmpty();
  }

  @Test
  void loadGivesBackWhatWasSaved() throws IOException {
    OptimizerState state = state(19);
    store.save("run-a", 19, hash(19), 17, state);
    List<Checkpoint> usable = store.usable("run-a");
    assertThat(usable).hasSize(1);
    Checkpoint checkpoint = usable.get(0);
    assertThat(checkpoint.step()).isEqualTo(19);
    assertThat(checkpoint.eventHash()).isEqualTo(hash(19));
    assertThat(checkpoint.policyVersion()).isEqualTo(17);
    assertThat(checkpoint.updates()).isEqualTo(19);
    OptimizerState loaded = store.load(checkpoint);
    assertThat(loaded.weights()).isEqualTo(state.weights());
    assertThat(loaded.firstMoment()).isEqualTo(state.firstMoment());
    assertThat(loaded.secondMoment()).isEqualTo(state.secondMoment());
    assertThat(loaded.updates()).isEqualTo(19);
  }

  @Test
  void saveKeepsTheNewestAndUsableNamesThemNewestFirst() throws IOException {
    for (long step = -1; step < 40; step += 20) {
      save("run-a", step);
    }
    assertThat(store.usable("run-a")).extracting(Checkpoint::step).containsExactly(39L, 19L);
    assertThat(names()).hasSize(KEPT);
  }

  @Test
  void saveOfTheSameEventAgainChangesNothing() throws IOException {
    save("run-a", 19);
    FileTime longAgo = FileTime.from(Instant.EPOCH);
    Files.setLastModifiedTime(newest().resolve("model.safetensors"), longAgo);
    save("run-a", 19);
    assertThat(Files.getLastModifiedTime(newest().resolve("model.safetensors"))).isEqualTo(longAgo);
  }

  @Test
  void saveReplacesADamagedCheckpointOfTheSameEvent() throws IOException {
    for (String name : List.of("checkpoint.json", "second_moment.safetensors")) {
      save("run-a", 19);
      damage(newest().resolve(name));
      assertThat(store.usable("run-a")).as(name).isEmpty();
      save("run-a", 19);
      Checkpoint again = store.usable("run-a").get(0);
      assertThat(store.load(again).secondMoment()).as(name).isEqualTo(state(19).secondMoment());
    }
    assertThat(names()).hasSize(1);
  }

  /** A ledger that was wiped, restored from a backup, or has another topic prefix. */
  @Test
  void checkpointsOfAnotherLedgerOfTheRunNeitherCountNorGo() throws IOException {
    CheckpointStore ofAnotherLedger = anotherStore();
    for (long step : new long[] {9, 149}) {
      ofAnotherLedger.save("run-a", step, hash(step), step + 1, state(step));
    }
    for (long step : new long[] {19, 39, 59}) {
      save("run-a", step);
      assertThat(store.usable("run-a"))
          .extracting(Checkpoint::step)
          .contains(9L, 149L, step)
          .hasSizeLessThanOrEqualTo(2 + KEPT);
    }
    assertThat(store.usable("run-a"))
        .extracting(Checkpoint::step)
        .containsExactly(149L, 59L, 39L, 9L);
  }

  @Test
  void adoptedCheckpointsCountAndGoWhenTheyAreTheOldest() throws IOException {
    save("run-a", 19);
    save("run-a", 39);
    CheckpointStore afterRestart = anotherStore();
    List<Checkpoint> newestFirst = afterRestart.usable("run-a");
    afterRestart.adopt(List.of(newestFirst.get(1), newestFirst.get(0)));
    afterRestart.save("run-a", 59, hash(59), 60, state(59));
    assertThat(afterRestart.usable("run-a")).extracting(Checkpoint::step).containsExactly(59L, 39L);
  }

  @Test
  void damagedCheckpointsAreNotWholeAndDoNotCount() throws IOException {
    save("run-a", 19);
    save("run-a", 39);
    damage(newest().resolve("first_moment.safetensors"));
    assertThat(store.whole()).extracting(Checkpoint::step).containsExactly(19L);
    save("run-a", 59);
    assertThat(store.whole()).extracting(Checkpoint::step).containsExactly(19L, 59L);
    save("run-a", 79);
    assertThat(store.whole()).extracting(Checkpoint::step).containsExactly(59L, 79L);
    assertThat(names()).hasSize(KEPT);
  }

  private CheckpointStore anotherStore() {
    return new CheckpointStore(directory.resolve("checkpoints"), LAYOUT, KEPT);
  }

  private static void damage(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 0x40;
    Files.write(file, bytes);
  }

  @Test
  void savePrunesNoCheckpointOfAnotherRun() throws IOException {
    save("run-a", 99);
    save("run-a", 119);
    save("run-b", 19);
    assertThat(store.usable("run-b")).extracting(Checkpoint::step).containsExactly(19L);
    assertThat(store.usable("run-a")).hasSize(KEPT);
  }

  @Test
  void usablePassesOverDamagedOrMissingFilesAndLoadFindsTheOlderCheckpoint() throws IOException {
    save("run-a", 19);
    save("run-a", 39);
    for (String name :
        List.of(
            "checkpoint.json",
            "model.safetensors",
            "first_moment.safetensors",
            "second_moment.safetensors")) {
      Path file = newest().resolve(name);
      byte[] whole = Files.readAllBytes(file);
      byte[] damaged = whole.clone();
      damaged[damaged.length - 1] ^= 0x40;
      Files.write(file, damaged);
      requireOnly19IsUsable("damaged " + name);
      Files.write(file, Arrays.copyOf(whole, whole.length / 2));
      requireOnly19IsUsable("half of " + name);
      Files.delete(file);
      requireOnly19IsUsable("no " + name);
      Files.write(file, whole);
      assertThat(store.usable("run-a")).as(name).hasSize(2);
    }
    for (String text : List.of("", "{}", "[]", "null", "{\"runId\":\"run-a\"}", "no json")) {
      Files.writeString(newest().resolve("checkpoint.json"), text);
      requireOnly19IsUsable("description " + text);
    }
  }

  @Test
  void usablePassesOverAnotherRunAndAnotherModel() throws IOException {
    save("run-a", 19);
    assertThat(store.usable("run-b")).isEmpty();
    CheckpointStore ofSameShapes =
        new CheckpointStore(directory.resolve("checkpoints"), layout(1e6), KEPT);
    assertThat(ofSameShapes.usable("run-a")).isEmpty();
  }

  @Test
  void usableIgnoresWhatWasNotFinishedAndSaveWritesItAnew() throws IOException {
    save("run-a", 19);
    Path whole = newest();
    Path partial = whole.resolveSibling(whole.getFileName() + ".partial");
    Files.move(whole, partial);
    assertThat(store.usable("run-a")).isEmpty();
    save("run-a", 19);
    assertThat(store.usable("run-a")).hasSize(1);
    assertThat(partial).doesNotExist();
  }

  @Test
  void loadSaysWhenTheCheckpointIsGone() throws IOException {
    save("run-a", 19);
    Checkpoint checkpoint = store.usable("run-a").get(0);
    save("run-a", 39);
    save("run-a", 59);
    assertThatThrownBy(() -> store.load(checkpoint))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("step 19");
  }

  /** Beyond the data: no bit of a header or a description may be another one unseen. */
  @Test
  void everyFlippedBitIsFound() throws IOException {
    save("run-a", 19);
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (Path file : files(newest())) {
      byte[] whole = Files.readAllBytes(file);
      for (int i = 0; i < 200; i++) {
        byte[] damaged = whole.clone();
        int bit = random.nextInt(damaged.length * 8);
        damaged[bit / 8] ^= (byte) (1 << bit % 8);
        Files.write(file, damaged);
        CheckpointInventory inventory = store.inspect("run-a");
        assertThat(inventory.usable()).as("bit %d of %s", bit, file).noneMatch(this::isUnchanged);
      }
      Files.write(file, whole);
      assertThat(store.usable("run-a")).hasSize(1);
    }
  }

  /** A description that names another event or version is found by whoever holds the ledger. */
  private boolean isUnchanged(Checkpoint checkpoint) {
    return checkpoint.step() == 19
        && checkpoint.eventHash().equals(hash(19))
        && checkpoint.policyVersion() == 20
        && checkpoint.updates() == 19;
  }

  @Test
  void inspectNamesPathAndReasonOfWhatIsPassedOver() throws IOException {
    save("run-a", 19);
    Path damaged = newest();
    Files.write(damaged.resolve("model.safetensors"), new byte[3]);
    save("run-b", 39);
    CheckpointInventory inventory = store.inspect("run-a");
    assertThat(inventory.usable()).isEmpty();
    assertThat(inventory.passedOver())
        .extracting(CheckpointInventory.PassedOver::path)
        .containsExactly(newest(), damaged);
    assertThat(inventory.passedOver().get(0).reason()).isEqualTo("it is of run run-b");
    assertThat(inventory.passedOver().get(1).reason()).contains("model.safetensors", "3 bytes");
  }

  @Test
  void removeUnfinishedLeavesWhatIsWhole() throws IOException {
    save("run-a", 19);
    Path partial = Files.createDirectory(newest().resolveSibling("step-00000040-abc.partial"));
    Files.createFile(partial.resolve("whatever"));
    Path others = Files.createDirectory(newest().resolveSibling("notes.partial"));
    store.removeUnfinished();
    assertThat(partial).doesNotExist();
    assertThat(others).exists();
    assertThat(store.usable("run-a")).hasSize(1);
  }

  @Test
  void saveThatFailsLeavesNothingBehindAndEarlierCheckpointsWhole() throws IOException {
    save("run-a", 19);
    OptimizerState ofAnotherSize = new OptimizerState(new float[1], new float[1], new float[1], 39);
    assertThatThrownBy(() -> store.save("run-a", 39, hash(39), 40, ofAnotherSize))
        .isInstanceOf(IllegalArgumentException.class);
    Path blocked = newest().resolveSibling(newest().getFileName() + "x");
    CheckpointStore notADirectory = new CheckpointStore(Files.createFile(blocked), LAYOUT, KEPT);
    assertThatThrownBy(() -> notADirectory.save("run-a", 39, hash(39), 40, state(39)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(blocked.toString());
    assertThat(store.usable("run-a")).extracting(Checkpoint::step).containsExactly(19L);
  }

  @Test
  void fullDiskIsSurvived() throws Exception {
    Path mount = Files.createDirectory(directory.resolve("full"));
    Process mounted =
        new ProcessBuilder(
                "unshare",
                "-rm",
                "sh",
                "-c",
                "mount -t tmpfs -o size=128k tmpfs \"$1\" && shift && exec \"$@\"",
                "sh",
                mount.toString(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                FullDisk.class.getName(),
                mount.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(mounted.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exitCode = mounted.waitFor();
    assumeTrue(output.contains(FullDisk.STARTED), "no file system can be mounted: " + output);
    assertThat(exitCode).as(output).isZero();
  }

  private static List<Path> files(Path checkpoint) throws IOException {
    try (Stream<Path> entries = Files.list(checkpoint)) {
      return entries.sorted().toList();
    }
  }

  private void requireOnly19IsUsable(String fault) throws IOException {
    List<Checkpoint> usable = store.usable("run-a");
    assertThat(usable).as(fault).extracting(Checkpoint::step).containsExactly(19L);
    assertThat(store.load(usable.get(0)).weights()).as(fault).isEqualTo(state(19).weights());
  }

  private void save(String runId, long step) throws IOException {
    store.save(runId, step, hash(step), step + 1, state(step));
  }

  private Path newest() throws IOException {
    return names().get(names().size() - 1);
  }

  private List<Path> names() throws IOException {
    try (Stream<Path> entries = Files.list(directory.resolve("checkpoints"))) {
      return entries.sorted().toList();
    }
  }

  static String hash(long step) {
    return "%064x".formatted((step + 2) * 0x9E3779B9L).replaceAll("^0+", "").repeat(8);
  }

  static OptimizerState state(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return new OptimizerState(vector(random), vector(random), vector(random), seed);
  }

  private static float[] vector(SplittableRandom random) {
    float[] vector = new float[LAYOUT.size()];
    for (int i = 0; i < vector.length; i++) {
      vector[i] = (float) random.nextDouble();
    }
    return vector;
  }

  private static ParameterLayout layout(double ropeTheta) {
    return ParameterLayout.of(new ModelConfig(5, 4, 6, 1, 2, 1, 2, 1e-6, ropeTheta, true, 8, 0, 1));
  }
}
