package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.TestRun;

/** Rollouts that are sampled by something else than what is trained, and say so. */
@ExtendWith(LocalStackExtension.class)
class MismatchIT {

  /**
   * The audit would find gaps of a hundredth of a nat if the learner took the weights as they are.
   */
  @Test
  void figuresOfRoundedRolloutsAreThoseOfTheRoundedWeights(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run =
        new TestRun(
            stack,
            directory,
            "learner.steps=6",
            "algorithm.klMode=exact",
            "dispatch.maxStaleness=1",
            "optimizer.learningRate=0.01",
            "optimizer.warmupFraction=0",
            "prompts.reward=regex",
            "prompts.file=" + BehaviorSnapshotsIT.easyPrompts(directory),
            "producer.rolloutPrecision=int4",
            "audit.behaviorLogprobs=true");
    BehaviorSnapshotsIT.assertRunIsThatOfTheLog(run, false);
    assertThat(responses(run))
        .isNotEmpty()
        .allMatch(response -> response.getSampling().getWeightPrecision().equals("int4"));
    StepMetrics fresh = run.steps().get(0).getMetrics();
    assertThat(fresh.getStalenessMax()).isZero();
    assertThat(fresh.getBehaviorKlExactMean()).isGreaterThan(1e-5);
    BehaviorSnapshotsIT.deleteCheckpoints(run);
    run.learner().join(); // executes all steps again, digests compared
  }

  private static List<Response> responses(TestRun run) {
    return run.values(run.topics().rollouts(), RolloutGroup.class).stream()
        .flatMap(group -> group.getResponses().stream())
        .toList();
  }
}
