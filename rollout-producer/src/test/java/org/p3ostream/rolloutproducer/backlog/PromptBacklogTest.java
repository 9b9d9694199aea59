package org.p3ostream.rolloutproducer.backlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.p3ostream.rolloutproducer.PromptTasks;

class PromptBacklogTest {

  private static final TopicPartition P0 = new TopicPartition("prompts", 0);
  private static final TopicPartition P1 = new TopicPartition("prompts", 1);

  private final PromptBacklog<String> backlog = new PromptBacklog<>();

  private static PromptPosition at(TopicPartition partition, long offset) {
    return new PromptPosition(partition, offset, Optional.of(5));
  }

  private void add(TopicPartition partition, long offset, long groupId) {
    backlog.add(at(partition, offset), PromptTasks.task(groupId));
  }

  private Optional<Long> nextGroupId() {
    return backlog.nextStartable(prompt -> true).map(prompt -> prompt.task().getGroupId());
  }

  @Test
  void nextStartableIsTheLowestGroupOfAllHeads() {
    add(P0, 10, 8);
    add(P1, 10, 1);
    add(P1, 11, 9);

    assertThat(nextGroupId()).contains(1L);
  }

  @Test
  void nextStartablePassesOverPartitionsWhoseHeadIsNotServable() {
    add(P0, 10, 0);
    add(P0, 11, 1);
    add(P1, 10, 2);

    assertThat(backlog.nextStartable(prompt -> prompt.task().getGroupId() != 0))
        .map(prompt -> prompt.task().getGroupId())
        .contains(2L);
  }

  @Test
  void nextStartableWaitsForTheStartedPromptOfThePartition() {
    add(P0, 10, 0);
    add(P0, 11, 8);
    backlog.start(at(P0, 10));

    assertThat(nextGroupId()).isEmpty();
  }

  @Test
  void finishedHoldsResultsAndThePositionAfterThem() {
    add(P0, 10, 0);
    add(P0, 13, 8);
    backlog.finish(at(P0, 10), "zero");

    FinishedBatch<String> batch = backlog.finished();

    assertThat(batch.results()).containsExactly("zero");
    assertThat(batch.nextOffsets()).containsOnlyKeys(P0);
    assertThat(batch.nextOffsets().get(P0).offset()).isEqualTo(11);
    assertThat(batch.nextOffsets().get(P0).leaderEpoch()).contains(5);
  }

  @Test
  void finishedPassesSkippedRecordsButNotTheOnesBehindAnUnfinishedPrompt() {
    backlog.addSkipped(at(P0, 10));
    add(P0, 11, 8);
    backlog.addSkipped(at(P0, 12));

    assertThat(backlog.finished().nextOffsets().get(P0).offset()).isEqualTo(11);

    backlog.finish(at(P0, 11), "eight");

    assertThat(backlog.finished().nextOffsets().get(P0).offset()).isEqualTo(13);
    assertThat(backlog.finished().results()).containsExactly("eight");
  }

  @Test
  void finishIsFalseWhenThePartitionWasGivenAway() {
    add(P0, 10, 0);
    backlog.start(at(P0, 10));
    backlog.disown(List.of(P0));

    assertThat(backlog.finish(at(P0, 10), "zero")).isFalse();
    assertThat(backlog.finished().isEmpty()).isTrue();
  }

  @Test
  void finishIsTrueWhenThePartitionCameBackWithTheSamePrompt() {
    add(P0, 10, 0);
    backlog.start(at(P0, 10));
    backlog.disown(List.of(P0));
    add(P0, 10, 0);

    assertThat(backlog.finish(at(P0, 10), "zero")).isTrue();
  }

  @Test
  void disownDropsResultsOfThatPartitionOnly() {
    add(P0, 10, 0);
    add(P1, 10, 1);
    backlog.finish(at(P0, 10), "zero");
    backlog.finish(at(P1, 10), "one");
    backlog.disown(List.of(P0));

    assertThat(backlog.finished().results()).containsExactly("one");
    assertThat(backlog.finished().nextOffsets()).containsOnlyKeys(P1);
  }

  @Test
  void publishedLetsGoOfTheBatchAndKeepsTheRest() {
    add(P0, 10, 0);
    add(P0, 11, 8);
    backlog.finish(at(P0, 10), "zero");
    FinishedBatch<String> batch = backlog.finished();
    backlog.finish(at(P0, 11), "eight");
    backlog.published(batch);

    assertThat(backlog.finished().results()).containsExactly("eight");

    backlog.published(backlog.finished());

    assertThat(backlog.isEmpty()).isTrue();
  }

  @Test
  void addThrowsWhenAnOffsetDoesNotGrow() {
    add(P0, 10, 0);

    assertThatThrownBy(() -> add(P0, 10, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("prompts-0@10 was polled after offset 10");
  }

  @Test
  void startMarksCoverTheFirstPromptOfEveryPartitionOnce() {
    add(P0, 10, 0);
    add(P0, 11, 8);
    add(P1, 20, 1);

    var marks = backlog.startMarks(at(P0, 10));

    assertThat(marks).containsOnlyKeys(P0, P1);
    assertThat(marks.get(P0).offset()).isEqualTo(10);
    assertThat(marks.get(P1).offset()).isEqualTo(20);
    assertThat(marks.values()).allMatch(mark -> StartCount.fromMetadata(mark.metadata()) == 1);
    assertThat(backlog.startMarks(at(P0, 10))).isEmpty();
  }

  @Test
  void startMarksCountOnlyThePromptToStartWhenThereIsASuspect() {
    backlog.own(P0, 1);
    add(P0, 10, 0);
    add(P1, 20, 1);

    var marks = backlog.startMarks(at(P0, 10));

    assertThat(marks).containsOnlyKeys(P0);
    assertThat(StartCount.fromMetadata(marks.get(P0).metadata())).isEqualTo(2);
  }

  @Test
  void earlierStartsBelongToTheFirstPromptAlone() {
    backlog.own(P0, 2);
    add(P0, 10, 0);
    add(P0, 11, 8);

    assertThat(backlog.heads().get(0).earlierStarts()).isEqualTo(2);

    backlog.finish(at(P0, 10), "zero");

    assertThat(backlog.heads().get(0).earlierStarts()).isZero();
  }

  @Test
  void holdsSuspectUntilItsResultIsPublished() {
    backlog.own(P0, 1);
    add(P0, 10, 0);
    backlog.finish(at(P0, 10), "zero");

    assertThat(backlog.holdsSuspect()).isTrue();

    backlog.published(backlog.finished());

    assertThat(backlog.holdsSuspect()).isFalse();
  }

  @Test
  void withdrawnMarksRestoreTheEarlierCount() {
    backlog.own(P0, 1);
    add(P0, 10, 0);
    backlog.startMarks(at(P0, 10));

    var marks = backlog.withdrawnMarks(List.of(P0, P1));

    assertThat(marks).containsOnlyKeys(P0);
    assertThat(StartCount.fromMetadata(marks.get(P0).metadata())).isEqualTo(1);
  }

  @Test
  void replacePutsAnotherResultIntoThePlaceOfOne() {
    add(P0, 10, 0);
    add(P0, 11, 8);
    backlog.start(at(P0, 10));
    backlog.finish(at(P0, 10), "large");
    backlog.start(at(P0, 11));
    backlog.finish(at(P0, 11), "small");
    backlog.replace("large", "failed");

    assertThat(backlog.finished().results()).containsExactly("failed", "small");
  }
}
