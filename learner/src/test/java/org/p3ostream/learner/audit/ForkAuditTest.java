package org.p3ostream.learner.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.learner.audit.GeneratedLog.TOPICS;
import static org.p3ostream.learner.audit.GeneratedLog.set;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.audit.GeneratedLog.Row;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.schemas.avro.ForkOrigin;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.snapshot.SnapshotEncoder;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.p3ostream.schemas.topic.TopicCatalogue;

/** A fork: its windows lie in the rollouts of another run, which dispatched them. */
class ForkAuditTest {

  private static final String FORK = "fork";
  private static final TopicCatalogue FORK_TOPICS = new TopicCatalogue("f.");
  private static final int WINDOWS = 10;
  private static final int AFTER = 3;

  private final GeneratedLog source = new GeneratedLog(5, WINDOWS);
  private final List<Row> own = new ArrayList<>();

  ForkAuditTest() {
    StepEvent shared =
        source.ledger().stream()
            .map(row -> row.as(StepEvent.class))
            .filter(event -> ChainAudit.settles(event) && event.getStep() == AFTER)
            .findFirst()
            .orElseThrow();
    Row sharedRow =
        source.ledger().stream().filter(row -> row.record == shared).findFirst().orElseThrow();
    long version = shared.getPolicyVersionAfter();
    StepEvent genesis = event(StepKind.GENESIS, AFTER, version, version);
    set(
        genesis,
        "forkOf",
        new ForkOrigin(
            GeneratedLog.RUN,
            TOPICS.prefix(),
            (long) AFTER,
            EventHash.of(sharedRow.bytes),
            version));
    set(genesis, "configuration", GeneratedLog.definition("grpo"));
    add(genesis);
    for (Row row : source.ledger()) {
      StepEvent theirs = row.as(StepEvent.class);
      if (ChainAudit.settles(theirs) && theirs.getStep() > AFTER) {
        long before = version;
        version += theirs.getKind() == StepKind.STEP ? 1 : 0;
        StepEvent ours = event(theirs.getKind(), theirs.getStep(), before, version);
        set(ours, "window", theirs.getWindow());
        set(ours, "missingGroups", theirs.getMissingGroups());
        add(ours);
      }
    }
  }

  @Test
  void forkIsAuditedAgainstTheRecordsOfTheOtherRun() {
    AuditReport report = audit(rows -> {});
    assertThat(report.problems()).isEmpty();
    assertThat(report.steps()).isEqualTo(WINDOWS - AFTER - 1);
    assertThat(report.nextWindow()).isEqualTo(WINDOWS);
    assertThat(report.groups().trained()).isPositive();
    assertThat(report.groups().pending()).isZero();
  }

  @Test
  void forkOfAnEventThatTheOtherRunDoesNotHaveIsNamed() {
    assertThat(
            audit(
                    rows -> {
                      ForkOrigin origin = own.get(2).as(StepEvent.class).getForkOf();
                      set(origin, "eventHash", "other");
                    })
                .problemCounts())
        .containsOnlyKeys(ProblemKind.FORK_ORIGIN);
  }

  @Test
  void groupThatAForkLeavesOutIsLost() {
    assertThat(
            audit(
                    rows -> {
                      StepEvent step = lastStep();
                      set(step, "window", step.getWindow().subList(1, step.getWindow().size()));
                    })
                .problemCounts())
        .containsOnlyKeys(ProblemKind.LOST);
  }

  @Test
  void recordThatIsGoneFromTheOtherRunIsMissing() {
    assertThat(
            audit(rows -> rows.remove(source.find(lastStep().getWindow().get(0)))).problemCounts())
        .containsOnlyKeys(ProblemKind.MISSING_RECORD);
  }

  private StepEvent lastStep() {
    List<StepEvent> steps =
        own.stream()
            .filter(row -> row.record instanceof StepEvent event && !event.getWindow().isEmpty())
            .map(row -> row.as(StepEvent.class))
            .toList();
    return steps.get(steps.size() - 1);
  }

  private StepEvent event(StepKind kind, long step, long before, long after) {
    StepEvent event =
        StepEvent.newBuilder(source.ledger().get(0).as(StepEvent.class))
            .setKind(kind)
            .setRunId(FORK)
            .setStep(step)
            .setPolicyVersionBefore(before)
            .setPolicyVersionAfter(after)
            .setDispatched(List.of())
            .setConfiguration(null)
            .setConfigHash(
                WeightsDigest.sha256(
                    GeneratedLog.definition("grpo").getBytes(StandardCharsets.UTF_8)))
            .setWeightsSha256(WeightsDigest.sha256(weights(after)))
            .build();
    return event;
  }

  private static byte[] weights(long version) {
    return WeightsDigest.toBytes(new float[] {version, 1});
  }

  /** An event behind the snapshot of the version that it makes. */
  private void add(StepEvent event) {
    if (event.getKind() != StepKind.NO_OP) {
      SnapshotEncoder.Encoded encoded =
          new SnapshotEncoder(FORK, "model", List.of())
              .encode(
                  event.getPolicyVersionAfter(),
                  event.getStep(),
                  weights(event.getPolicyVersionAfter()));
      String topic = FORK_TOPICS.snapshots().name();
      own.add(new Row(topic, 0, own.size(), encoded.chunks().get(0)));
      own.add(new Row(topic, 0, own.size(), encoded.manifest()));
    }
    own.add(new Row(FORK_TOPICS.steps().name(), 0, own.size(), event));
  }

  private AuditReport audit(Consumer<List<Row>> damage) {
    List<Row> rows = new ArrayList<>(source.of(TOPICS.rollouts()));
    rows.addAll(source.ledger());
    damage.accept(rows);
    String previous = EventHash.NONE;
    for (Row row : own) {
      if (row.record instanceof StepEvent event) {
        set(event, "previousEventHash", previous);
        previous = EventHash.of(source.encode(row));
      }
      row.bytes = source.encode(row);
    }
    rows.addAll(own);
    Map<String, Row> last = new TreeMap<>();
    rows.forEach(row -> last.put(row.topic + "-" + row.partition, row));
    List<PartitionExtent> extents =
        last.values().stream()
            .map(
                row ->
                    new PartitionExtent(
                        row.topic, row.partition, 0, row.offset + 1, row.offset + 1))
            .toList();
    StepEvent first =
        own.stream()
            .filter(row -> row.record instanceof StepEvent)
            .findFirst()
            .orElseThrow()
            .as(StepEvent.class);
    LogAudit audit =
        new LogAudit(new AuditScope(FORK, FORK_TOPICS.prefix(), first, extents, List.of()));
    rows.forEach(row -> audit.accept(source.audited(row)));
    return audit.finish();
  }
}
