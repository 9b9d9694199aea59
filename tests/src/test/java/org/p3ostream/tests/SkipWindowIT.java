package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.train.NonFiniteUpdateException;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** A window whose update is not finite, through a real broker. */
@ExtendWith(LocalStackExtension.class)
class SkipWindowIT {

  private static final double TOO_LARGE = 1e300; // finite as a reward, its loss is not

  @Test
  void learnerStopsAtTheWindowUntilAnOperatorHasItSkipped(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = new TestRun(stack, directory, "algorithm.advantage=mean-only");
    try (RunningRole producer = run.producer("good")) {
      run.learner("learner.steps=1").join();
      TestRun.until(
          "12 groups", () -> run.values(run.topics().rollouts(), RolloutGroup.class).size() >= 12);
      producer.stop();
    }
    run.learner("learner.steps=3").join(); // dispatches windows 3 and 4, which nobody samples yet
    publishTooLargeReward(run, 16, 3);
    try (RunningRole producer = run.producer("good")) {
      for (int attempt = 0; attempt < 2; attempt++) { // a restart does not help
        assertThat(run.learner("learner.steps=6").failure())
            .isInstanceOf(NonFiniteUpdateException.class)
            .hasMessageContaining("window 4: ")
            .hasMessageContaining("nothing was published")
            .hasMessageContaining("--skip-window 4")
            .hasMessageContaining("16 at rollouts-");
      }
      assertThat(run.steps()).extracting(StepEvent::getStep).containsExactly(0L, 1L, 2L, 3L);
      assertThat(run.learnerSkipping(List.of(3L), "learner.steps=6").failure())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("--skip-window 3: that window is settled, the next one is 4");
      run.learnerSkipping(List.of(4L), "learner.steps=6").join();
      run.learnerSkipping(List.of(4L), "learner.steps=8").join(); // the option stays where it is
    }
    assertThat(run.steps())
        .extracting(StepEvent::getStep)
        .containsExactly(0L, 1L, 2L, 3L, 5L, 6L, 7L);
    StepEvent skipped =
        run.ledger().stream()
            .filter(event -> event.getKind() == StepKind.NO_OP)
            .findFirst()
            .orElseThrow();
    assertThat(skipped.getStep()).isEqualTo(4);
    assertThat(skipped.getControl().getKind()).isEqualTo(ControlKind.SKIP_WINDOW);
    assertThat(skipped.getWindow())
        .extracting(WindowEntry::getGroupId)
        .containsExactly(16L, 17L, 18L, 19L);
    assertThat(skipped.getPolicyVersionAfter()).isEqualTo(4);
  }

  /** A foreign producer answers first, well within the contract. */
  private static void publishTooLargeReward(TestRun run, long groupId, long version) {
    RolloutGroup like =
        run.values(run.topics().rollouts(), RolloutGroup.class).stream()
            .filter(group -> group.getGroupId() == 8)
            .findFirst()
            .orElseThrow();
    List<Response> responses = new ArrayList<>();
    for (Response response : like.getResponses()) {
      responses.add(
          Response.newBuilder(response)
              .setPolicyVersion(version)
              .setVersionSegments(List.of(new VersionSegment(0, version)))
              .setReward(responses.isEmpty() ? TOO_LARGE : 0)
              .build());
    }
    RolloutGroup answer =
        RolloutGroup.newBuilder(like)
            .setGroupId(groupId)
            .setWindowIndex(groupId / 4)
            .setResponses(responses)
            .build();
    TopicSpec rollouts = run.topics().rollouts();
    try (RecordCodec codec = run.codec()) {
      run.publish(
          rollouts,
          rollouts.partitionOf(groupId),
          RecordKeys.of(groupId),
          codec.encode(rollouts.name(), answer));
    }
  }
}
