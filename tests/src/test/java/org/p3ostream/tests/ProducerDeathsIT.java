package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.tests.faults.HaltingInterceptor;
import org.p3ostream.tests.faults.PoisonSerializer;
import org.p3ostream.tests.support.ChildRole;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Producers that are processes of their own and die. Time-outs are those of the product. */
@ExtendWith(LocalStackExtension.class)
@Tag("endurance")
class ProducerDeathsIT {

  /** 15 s where a machine has time; with Kafka's own time-outs it would be 45 s and 60 s. */
  private static final Duration HAND_OVER = Duration.ofSeconds(30);

  private static final Duration LONG_BEFORE = Duration.ofSeconds(60);

  @Test
  void promptsOfAKilledProducerGoToAnotherInTime(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = opened(stack, directory);
    try (ChildProcess killed = producer(run, "killed");
        RunningRole other = run.producer("other")) {
      run.awaitProducers(2);
      try (RunningRole learner = run.learner()) {
        run.awaitSteps(5);
        killed.kill();
        Duration took = untilAnswered(run);
        System.out.println("hand-over after kill -9: " + took.toMillis() + " ms");
        assertThat(took).isLessThan(HAND_OVER);
      }
    }
  }

  @Test
  void promptsOfAProducerThatDiedInATransactionGoToAnotherInTime(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = opened(stack, directory);
    try (ChildProcess dying =
            ChildRole.start(
                run,
                "dying",
                List.of(
                    "producer",
                    "--set",
                    "producer.id=dying",
                    "--set",
                    "kafka.interceptor.classes=" + HaltingInterceptor.class.getName()),
                "-D" + HaltingInterceptor.PROPERTY + "=6");
        RunningRole other = run.producer("other")) {
      run.awaitProducers(2);
      try (RunningRole learner = run.learner()) {
        TestRun.until("the producer died", () -> !dying.isAlive());
        assertThat(dying.exitCode()).isEqualTo(HaltingInterceptor.STATUS);
        Duration took = untilAnswered(run);
        System.out.println("hand-over out of a transaction: " + took.toMillis() + " ms");
        assertThat(took).isLessThan(HAND_OVER);
      }
    }
  }

  @Test
  void promptThatKillsItsProducersIsGivenUpAfterThreeAndReplaced(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    long poison = 5;
    TestRun run = new TestRun(stack, directory, "learner.steps=3", "kafka.session.timeout.ms=6000");
    int deaths = 0;
    try (RunningRole learner = run.learner()) {
      while (!learner.hasEnded()) {
        try (ChildProcess producer =
            ChildRole.start(
                run,
                "poisoned",
                List.of(
                    "producer",
                    "--set",
                    "serde.serializerClass=" + PoisonSerializer.class.getName()),
                "-D" + PoisonSerializer.PROPERTY + "=" + poison)) {
          TestRun.until("something ended", () -> !producer.isAlive() || learner.hasEnded());
          deaths += producer.isAlive() ? 0 : 1;
          assertThat(producer.isAlive() || producer.exitCode() == PoisonSerializer.STATUS).isTrue();
        }
      }
      learner.join();
    }
    assertThat(deaths).isEqualTo(3);
    assertThat(run.values(run.topics().deadLetters(), DeadLetter.class))
        .singleElement()
        .satisfies(
            letter -> {
              assertThat(letter.getGroupId()).isEqualTo(poison);
              assertThat(letter.getReason()).isEqualTo(RejectionReason.PRODUCER_FAILURE);
            });
    assertThat(run.steps())
        .flatExtracting(StepEvent::getWindow)
        .filteredOn(entry -> entry.getGroupId() == poison)
        .extracting(WindowEntry::getAttempt)
        .containsExactly(1);
  }

  @Test
  void producerThatIsTerminatedHandsItsPromptsOverAtOnce(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = opened(stack, directory);
    try (ChildProcess leaving = producer(run, "leaving", "kafka.session.timeout.ms=120000");
        RunningRole other = run.producer("other")) {
      run.awaitProducers(2);
      try (RunningRole learner = run.learner()) {
        run.awaitSteps(5);
        leaving.terminate();
        TestRun.until("it ended", () -> !leaving.isAlive());
        Duration took = untilAnswered(run);
        System.out.println("hand-over after SIGTERM: " + took.toMillis() + " ms");
        assertThat(took).as("long before its session would end").isLessThan(LONG_BEFORE);
      }
      assertThat(run.startNotes())
          .allMatch(note -> note.equals("starts=0") || note.equals("starts=1"));
    }
    assertThat(run.values(run.topics().rollouts(), RolloutGroup.class))
        .extracting(RolloutGroup::getGroupId)
        .doesNotHaveDuplicates();
  }

  /** A run whose topics exist, so that producers can gather before there is work. */
  private static TestRun opened(LocalStack stack, Path directory) throws Throwable {
    TestRun run = new TestRun(stack, directory, "learner.steps=100000");
    run.learner("learner.steps=0").join();
    return run;
  }

  private static ChildProcess producer(TestRun run, String id, String... settings) {
    List<String> command = new ArrayList<>(List.of("producer", "--set", "producer.id=" + id));
    Stream.of(settings).forEach(setting -> command.addAll(List.of("--set", setting)));
    return ChildRole.start(run, id, command);
  }

  /** Time until every prompt that is there now has its group. */
  private static Duration untilAnswered(TestRun run) {
    long start = System.nanoTime();
    Set<Long> asked =
        run.values(run.topics().prompts(), PromptTask.class).stream()
            .map(PromptTask::getGroupId)
            .collect(Collectors.toSet());
    TestRun.until(
        "every prompt was answered",
        () ->
            run.values(run.topics().rollouts(), RolloutGroup.class).stream()
                .map(RolloutGroup::getGroupId)
                .collect(Collectors.toSet())
                .containsAll(asked));
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
