package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** A model whose snapshot is many times as large as a request may be. */
@ExtendWith(LocalStackExtension.class)
@Tag("endurance")
class LargeSnapshotIT {

  private static final int REQUEST_BYTES = 1_200_000;

  @Test
  void snapshotsFarAboveTheRequestLimitTravelInChunks(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    ModelConfig nano = NanoModel.config();
    ModelConfig large =
        new ModelConfig(
            nano.vocabSize(),
            256,
            1024,
            5,
            nano.attentionHeads(),
            nano.keyValueHeads(),
            64,
            nano.rmsNormEps(),
            nano.ropeTheta(),
            nano.tiedEmbeddings(),
            nano.maxPositions(),
            nano.eosTokenId(),
            nano.padTokenId());
    Path model = directory.resolve("large");
    TestRun run =
        new TestRun(
            stack,
            directory,
            "model.directory=" + model,
            "kafka.max.request.size=" + REQUEST_BYTES);
    ModelDirectory.save(
        model,
        large,
        ParameterInitializer.initialize(large, 3),
        directory.resolve("tokenizer.json"));
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=1").join();
    }
    long bytes = (long) ParameterLayout.of(large).size() * Float.BYTES;
    assertThat(bytes).isGreaterThan(10L * REQUEST_BYTES);
    StepEvent step = run.steps().get(0);
    assertThat(run.values(run.topics().snapshots(), SnapshotManifest.class))
        .hasSize(2)
        .allSatisfy(manifest -> assertThat(manifest.getTotalBytes()).isEqualTo(bytes))
        .last()
        .satisfies(manifest -> assertThat(manifest.getSha256()).isEqualTo(step.getWeightsSha256()));
  }
}
