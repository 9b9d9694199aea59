package org.p3ostream.tests.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.tests.support.TestRun;

/** Compares the log with the labels. */
final class FuzzVerdict {

  private static final int LARGEST_EVENT = 1_000_000;
  private static final int LARGEST_TEXT = 1_000;

  private final TestRun run;
  private final Labels labels;
  private final Map<String, Integer> counts = new TreeMap<>();

  FuzzVerdict(FuzzRun fuzz) {
    this.run = fuzz.run();
    this.labels = fuzz.labels();
  }

  /** How many records there were of every label. */
  Map<String, Integer> counts() {
    return counts;
  }

  /** Everything at once. */
  void require() {
    List<StepEvent> ledger = run.ledger();
    requireEventsAreSmall();
    requireDeadLettersAreAsLabelled();
    requireTrainedWasValid(ledger);
    requireSkipsAreRecordedOnce(ledger);
    List<PartitionProgress> progress = ledger.get(ledger.size() - 1).getProgress();
    assertThat(progress)
        .allSatisfy(
            p -> {
              assertThat(p.getNextOffset()).isEqualTo(labels.endOffset(p.getPartition()));
              assertThat(p.getConsumedAheadRanges()).isEmpty();
            });
  }

  private void requireEventsAreSmall() {
    for (ConsumerRecord<byte[], byte[]> event : run.records(run.topics().steps())) {
      assertThat(event.value().length).as("event at %d", event.offset()).isLessThan(LARGEST_EVENT);
    }
  }

  private void requireDeadLettersAreAsLabelled() {
    Set<String> seen = new HashSet<>();
    for (DeadLetter letter : run.values(run.topics().deadLetters(), DeadLetter.class)) {
      byte label = labels.at(letter.getSourcePartition(), letter.getSourceOffset());
      String at = letter.getSourcePartition() + "@" + letter.getSourceOffset();
      assertThat(seen.add(at)).as("second dead letter of %s", at).isTrue();
      String expected = label == Labels.REJECTED ? letter.getReason().name() : Labels.text(label);
      assertThat(letter.getReason().name()).as("%s: %s", at, letter.getCause()).isEqualTo(expected);
      assertThat(bytes(letter.getCause())).as(at).isLessThanOrEqualTo(LARGEST_TEXT);
      assertThat(bytes(letter.getField())).as(at).isLessThanOrEqualTo(LARGEST_TEXT);
      assertThat(bytes(letter.getProducerId())).as(at).isLessThanOrEqualTo(LARGEST_TEXT);
    }
    for (int partition = 0; partition < labels.partitions(); partition++) {
      for (long offset = 0; offset < labels.endOffset(partition); offset++) {
        byte label = labels.at(partition, offset);
        counts.merge(Labels.text(label), 1, Integer::sum);
        assertThat(seen.contains(partition + "@" + offset))
            .as("dead letter of %d@%d, %s", partition, offset, Labels.text(label))
            .isEqualTo(label != Labels.VALID);
      }
    }
  }

  private void requireTrainedWasValid(List<StepEvent> ledger) {
    Set<String> trained = new HashSet<>();
    for (StepEvent event : ledger) {
      for (WindowEntry entry : event.getWindow()) {
        assertThat(Labels.text(labels.at(entry.getPartition(), entry.getRecordOffset())))
            .as("record trained by step %d", event.getStep())
            .isEqualTo("VALID");
        trained.add(entry.getPartition() + "@" + entry.getRecordOffset());
      }
    }
    assertThat(trained).hasSize(counts.getOrDefault("VALID", 0));
  }

  private static void requireSkipsAreRecordedOnce(List<StepEvent> ledger) {
    Set<String> skipped = new HashSet<>();
    for (StepEvent event : ledger) {
      for (SkippedRecord record : event.getSkipped()) {
        String at = record.getPartition() + "@" + record.getRecordOffset();
        assertThat(skipped.add(at)).as("%s skipped a second time", at).isTrue();
      }
    }
  }

  private static int bytes(String text) {
    return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
  }
}
