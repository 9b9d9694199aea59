package org.p3ostream.learner.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

  private static final ParameterLayout LAYOUT = layout(1e4);
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
    store.save("run-a", 19, hash(19), 17, state(1));
    assertThat(store.load(store.usable("run-a").get(0)).weights()).isEqualTo(state(19).weights());
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

  private static String hash(long step) {
    return "%064x".formatted((step + 2) * 0x9E3779B9L).replaceAll("^0+", "").repeat(8);
  }

  private static OptimizerState state(long seed) {
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
