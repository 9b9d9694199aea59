package org.p3ostream.learner.audit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.p3ostream.learner.commit.InMemorySerde;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.OffsetRange;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.SamplingRequest;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.TrimmedPartition;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RecordTypes;
import org.p3ostream.schemas.snapshot.SnapshotEncoder;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/**
 * The log of a run that went through everything a run may go through: holes in the offsets, bad,
 * foreign, repeated and undecodable groups, replacements, groups that were asked for again or given
 * up, windows that were passed, a changed configuration. Drawn from a seed; then a test damages it.
 */
final class GeneratedLog {

  static final String RUN = "run";
  static final TopicCatalogue TOPICS = new TopicCatalogue("a.");
  static final int GROUPS = 3;
  private static final int STALENESS = 1;

  /** A record and where it stands; tests move, change and remove them. */
  static final class Row {
    final String topic;
    int partition;
    long offset;
    SpecificRecord record; // null: bytes that nobody can read
    byte[] bytes; // set by seal()

    Row(String topic, int partition, long offset, SpecificRecord record) {
      this.topic = topic;
      this.partition = partition;
      this.offset = offset;
      this.record = record;
    }

    <T> T as(Class<T> type) {
      return type.cast(record);
    }

    @Override
    public String toString() {
      return topic + "-" + partition + "@" + offset + " " + record;
    }
  }

  final List<Row> rows = new ArrayList<>();
  final Map<String, Long> firstOffsets = new HashMap<>();
  final Map<String, Long> nextOffsets = new HashMap<>();
  private final Random random;
  private final RecordCodec codec = InMemorySerde.codec();
  private final SnapshotEncoder snapshots = new SnapshotEncoder(RUN, "model", List.of());
  private final Map<Integer, TreeSet<Long>> visible = new TreeMap<>();
  private final Map<Integer, TreeSet<Long>> settled = new TreeMap<>();
  private final TreeMap<Long, Integer> attempts = new TreeMap<>(); // of open groups
  private final TreeMap<Long, WindowEntry> admitted = new TreeMap<>();
  private final Map<Long, Long> asked = new HashMap<>(); // version, by open group
  private final List<Row> skips = new ArrayList<>(); // rollouts rows that are not recorded yet
  private final Map<Row, RejectionReason> reasons = new HashMap<>();
  private long version;
  private long window;
  private String weights = "";
  private String configuration = definition("p3o");

  GeneratedLog(long seed, int windows) {
    random = new Random(seed);
    RecordTypes.trust();
    genesis();
    for (int w = 0; w < windows; w++) {
      window(w);
      if (w == windows / 2) {
        changeConfiguration();
      }
    }
    for (long groupId : List.copyOf(attempts.keySet())) { // waiting for windows to come
      if (random.nextBoolean()) {
        rollout(groupId, attempts.get(groupId), RUN);
      }
    }
    seal();
  }

  private void genesis() {
    List<DispatchedGroup> groups = new ArrayList<>();
    for (long groupId = 0; groupId < (STALENESS + 1) * GROUPS; groupId++) {
      groups.add(dispatch(groupId, 0));
    }
    StepEvent event = event(StepKind.GENESIS, -1, groups);
    set(event, "configuration", configuration);
    snapshot(event);
    append(TOPICS.steps(), 0, event);
    prompts(groups);
  }

  private void window(long w) {
    window = w;
    if (w == 3 || random.nextBoolean()) {
      interim(List.of());
    }
    for (long groupId : List.copyOf(attempts.headMap((w + 1) * GROUPS).keySet())) {
      answer(groupId);
    }
    boolean short_ = random.nextInt(6) == 0;
    List<Long> missing = new ArrayList<>();
    for (long groupId = w * GROUPS; groupId < (w + 1) * GROUPS; groupId++) {
      if (!admitted.containsKey(groupId)) {
        missing.add(groupId);
      }
    }
    if (short_ && missing.isEmpty()) {
      missing.add(w * GROUPS + random.nextInt(GROUPS)); // its record stays and is skipped
      WindowEntry entry = admitted.remove(missing.get(0));
      Row row = find(entry);
      skips.add(row);
      reasons.put(row, RejectionReason.STALE);
    }
    if (!missing.isEmpty()) {
      interim(List.of(), missing);
    }
    boolean noOp = random.nextInt(5) == 0;
    List<DispatchedGroup> groups = new ArrayList<>();
    for (int slot = 0; slot < GROUPS; slot++) {
      groups.add(dispatch((w + STALENESS + 1) * GROUPS + slot, 0));
    }
    StepEvent event = event(noOp ? StepKind.NO_OP : StepKind.STEP, w, groups);
    List<WindowEntry> entries =
        new ArrayList<>(admitted.subMap(w * GROUPS, (w + 1) * GROUPS).values());
    admitted.headMap((w + 1) * GROUPS).clear();
    attempts.headMap((w + 1) * GROUPS).clear();
    set(event, "window", entries);
    set(event, "missingGroups", missing);
    entries.forEach(e -> settled(e.getPartition()).add(e.getRecordOffset()));
    List<Row> letters = withIntake(event);
    if (!noOp) {
      version++;
      set(event, "policyVersionAfter", version);
      snapshot(event);
    }
    if (!noOp) {
      groups.forEach(g -> asked.put(g.getGroupId(), version));
      groups.forEach(g -> set(g, "policyVersion", version));
    }
    append(TOPICS.steps(), 0, event);
    prompts(groups);
    deadLetters(letters);
    hole(TOPICS.steps(), 0);
  }

  /** What producers and strangers publish for one group until it is there. */
  private void answer(long groupId) {
    int attempt = attempts.get(groupId);
    if (admitted.containsKey(groupId)) {
      return;
    }
    if (random.nextInt(5) == 0) {
      reject(rollout(groupId, attempt, "elsewhere"), RejectionReason.FOREIGN_RUN);
    }
    if (random.nextInt(5) == 0) {
      Row junk = append(TOPICS.rollouts(), random.nextInt(4), null);
      visible(junk.partition).add(junk.offset);
      reject(junk, RejectionReason.UNDECODABLE);
    }
    if (random.nextInt(6) == 0) { // lost on the way: asked for again, the same attempt
      interim(List.of(dispatch(groupId, attempt)));
    }
    if (random.nextInt(4) == 0) {
      reject(rollout(groupId, attempt, RUN), RejectionReason.NON_FINITE);
      attempt++;
      interim(List.of(dispatch(groupId, attempt)));
    }
    if (random.nextInt(6) == 0) { // too stale: another one, of the version in force
      reject(rollout(groupId, attempt, RUN), RejectionReason.STALE);
      attempt++;
      asked.put(groupId, version);
      interim(List.of(dispatch(groupId, attempt)));
    }
    if (random.nextInt(12) == 0) {
      return; // given up
    }
    Row row = rollout(groupId, attempt, RUN);
    admitted.put(
        groupId, new WindowEntry(row.partition, row.offset, groupId, attempt, asked.get(groupId)));
    if (random.nextInt(5) == 0) {
      reject(rollout(groupId, attempt, RUN), RejectionReason.DUPLICATE);
    }
  }

  private void reject(Row row, RejectionReason reason) {
    skips.add(row);
    reasons.put(row, reason);
  }

  private DispatchedGroup dispatch(long groupId, int attempt) {
    attempts.put(groupId, attempt);
    asked.putIfAbsent(groupId, version);
    return new DispatchedGroup(groupId, attempt, asked.get(groupId));
  }

  private Row rollout(long groupId, int attempt, String runId) {
    Row row =
        append(
            TOPICS.rollouts(),
            TOPICS.rollouts().partitionOf(groupId),
            group(groupId, attempt, asked.get(groupId), runId));
    visible(row.partition).add(row.offset);
    return row;
  }

  private void interim(List<DispatchedGroup> groups) {
    interim(groups, List.of());
  }

  private void interim(List<DispatchedGroup> groups, List<Long> missing) {
    StepEvent event = event(StepKind.INTERIM, window, groups);
    set(event, "missingGroups", missing);
    List<Row> letters = withIntake(event);
    append(TOPICS.steps(), 0, event);
    prompts(groups);
    deadLetters(letters);
  }

  private void changeConfiguration() {
    configuration = definition("grpo");
    window++;
    StepEvent event = event(StepKind.CONTROL, window, List.of());
    set(event, "configuration", configuration);
    set(event, "control", new ControlChange(ControlKind.CONFIGURATION, "algorithm", List.of()));
    append(TOPICS.steps(), 0, event);
  }

  /** Allows everything below some records to be gone, and removes it. */
  void trim(Map<String, Long> beforeOffsets) {
    List<TrimmedPartition> trimmed = new ArrayList<>();
    beforeOffsets.forEach(
        (key, before) -> {
          String topic = key.substring(0, key.lastIndexOf('-'));
          int partition = Integer.parseInt(key.substring(key.lastIndexOf('-') + 1));
          trimmed.add(new TrimmedPartition(topic, partition, before));
        });
    StepEvent event =
        event(
            StepKind.CONTROL,
            ledger().get(ledger().size() - 1).as(StepEvent.class).getStep() + 1,
            List.of());
    set(event, "control", new ControlChange(ControlKind.TRIM, "trim", trimmed));
    append(TOPICS.steps(), 0, event);
    beforeOffsets.forEach(this::deleteBefore);
    seal();
  }

  /** Removes the beginning of a partition, as deleteRecords does. */
  void deleteBefore(String key, long before) {
    rows.removeIf(row -> key.equals(row.topic + "-" + row.partition) && row.offset < before);
    firstOffsets.put(key, before);
  }

  private StepEvent event(StepKind kind, long step, List<DispatchedGroup> groups) {
    return StepEvent.newBuilder()
        .setKind(kind)
        .setRunId(RUN)
        .setStep(step)
        .setPolicyVersionBefore(version)
        .setPolicyVersionAfter(version)
        .setWindow(List.of())
        .setSkipped(List.of())
        .setProgress(List.of())
        .setDispatched(groups)
        .setRatioStatistics(List.of())
        .setAlgorithm("p3o/step/exact")
        .setWeightsSha256(weights)
        .setConfigHash(
            WeightsDigest.sha256(configuration.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
        .setPreviousEventHash("")
        .setPhases(new PhaseDurations(0d, 0d, 0d, 0d, 0d, 0d))
        .setLearnerEpoch(1)
        .setCommittedAt(rows.size())
        .build();
  }

  private List<Row> withIntake(StepEvent event) {
    List<SkippedRecord> skipped = new ArrayList<>();
    for (Row row : skips) {
      skipped.add(new SkippedRecord(row.partition, row.offset, reasons.get(row)));
      settled(row.partition).add(row.offset);
    }
    List<PartitionProgress> progress = new ArrayList<>();
    for (int partition = 0; partition < TOPICS.rollouts().partitions(); partition++) {
      progress.add(progress(partition));
    }
    set(event, "skipped", skipped);
    set(event, "progress", progress);
    List<Row> letters = List.copyOf(skips);
    skips.clear();
    return letters;
  }

  private PartitionProgress progress(int partition) {
    TreeSet<Long> outstanding = new TreeSet<>(visible(partition));
    outstanding.removeAll(settled(partition));
    long end = nextOffsets.getOrDefault(TOPICS.rollouts().name() + "-" + partition, 0L);
    long next = outstanding.isEmpty() ? end : outstanding.first();
    List<OffsetRange> ranges = new ArrayList<>();
    for (long offset : settled(partition).tailSet(next)) {
      ranges.add(new OffsetRange(offset, offset));
    }
    return new PartitionProgress(partition, next, List.of(), ranges);
  }

  private void prompts(List<DispatchedGroup> groups) {
    for (DispatchedGroup group : groups) {
      append(
          TOPICS.prompts(),
          TOPICS.prompts().partitionOf(group.getGroupId()),
          task(group.getGroupId(), group.getAttempt(), asked.get(group.getGroupId())));
    }
  }

  private void deadLetters(List<Row> letters) {
    for (Row row : letters) {
      RolloutGroup group = row.record instanceof RolloutGroup g ? g : null;
      append(
          TOPICS.deadLetters(),
          0,
          DeadLetter.newBuilder()
              .setRunId(RUN)
              .setSourceTopic(row.topic)
              .setSourcePartition(row.partition)
              .setSourceOffset(row.offset)
              .setReason(reasons.get(row))
              .setCause("cause")
              .setGroupId(group == null ? null : group.getGroupId())
              .setAttempt(group == null ? null : group.getAttempt())
              .setValueBytes(encode(row).length)
              .setRejectedAt(0)
              .build());
    }
  }

  private void snapshot(StepEvent event) {
    float[] values = new float[5];
    for (int i = 0; i < values.length; i++) {
      values[i] = random.nextFloat();
    }
    byte[] bytes = WeightsDigest.toBytes(values);
    SnapshotEncoder.Encoded encoded = snapshots.encode(version, event.getStep(), bytes);
    encoded.chunks().forEach(chunk -> append(TOPICS.snapshots(), 0, chunk));
    append(TOPICS.snapshots(), 0, encoded.manifest());
    hole(TOPICS.snapshots(), 0);
    weights = WeightsDigest.sha256(bytes);
    set(event, "weightsSha256", weights);
  }

  private Row append(TopicSpec topic, int partition, SpecificRecord record) {
    long offset = hole(topic, partition);
    Row row = new Row(topic.name(), partition, offset, record);
    nextOffsets.put(topic.name() + "-" + partition, offset + 1);
    rows.add(row);
    return row;
  }

  /** Leaves offsets without a visible record, sometimes; the next free one. */
  private long hole(TopicSpec topic, int partition) {
    String key = topic.name() + "-" + partition;
    long next = nextOffsets.getOrDefault(key, 0L) + (random.nextInt(3) == 0 ? 1 : 0);
    nextOffsets.put(key, next);
    return next;
  }

  /** Makes the chain fit the events as they are, and takes the bytes of all records. */
  void seal() {
    String previous = EventHash.NONE;
    for (Row row : rows) {
      if (row.record instanceof StepEvent event) {
        set(event, "previousEventHash", previous);
        previous = EventHash.of(encode(row));
      }
    }
    rows.forEach(row -> row.bytes = encode(row));
  }

  /** A record that can be changed without the other. */
  SpecificRecord copy(Row row) {
    return row.record == null
        ? null
        : SpecificData.get().deepCopy(row.record.getSchema(), row.record);
  }

  byte[] encode(Row row) {
    return row.record == null ? new byte[] {1, 2, 3} : codec.encode(row.topic, row.record);
  }

  List<Row> ledger() {
    return of(TOPICS.steps());
  }

  List<Row> of(TopicSpec topic) {
    return rows.stream().filter(row -> row.topic.equals(topic.name())).toList();
  }

  /** One of the events that fulfil a condition. */
  StepEvent pick(Random pick, Predicate<StepEvent> condition) {
    List<StepEvent> found =
        ledger().stream().map(row -> row.as(StepEvent.class)).filter(condition).toList();
    return found.get(pick.nextInt(found.size()));
  }

  Row find(WindowEntry entry) {
    return rows.stream()
        .filter(
            row ->
                row.topic.equals(TOPICS.rollouts().name())
                    && row.partition == entry.getPartition()
                    && row.offset == entry.getRecordOffset())
        .findFirst()
        .orElseThrow();
  }

  private TreeSet<Long> visible(int partition) {
    return visible.computeIfAbsent(partition, p -> new TreeSet<>());
  }

  private TreeSet<Long> settled(int partition) {
    return settled.computeIfAbsent(partition, p -> new TreeSet<>());
  }

  /** Audits the records, the partitions in a random interleaving. */
  AuditReport audit(Random order) {
    return audit(order, RUN, List.of(), Map.of());
  }

  /**
   * Audits.
   *
   * @param knownEnds by topic-partition; the end where there is none
   */
  AuditReport audit(
      Random order, String runId, List<String> missingTopics, Map<String, Long> knownEnds) {
    LogAudit audit = open(runId, missingTopics, knownEnds);
    interleaved(order).stream()
        .filter(row -> !missingTopics.contains(row.topic))
        .forEach(row -> audit.accept(audited(row)));
    return audit.finish();
  }

  /** An audit that was handed nothing yet. */
  LogAudit audit() {
    return open(RUN, List.of(), Map.of());
  }

  private LogAudit open(String runId, List<String> missingTopics, Map<String, Long> knownEnds) {
    List<PartitionExtent> extents = new ArrayList<>();
    for (TopicSpec topic :
        List.of(
            TOPICS.steps(),
            TOPICS.rollouts(),
            TOPICS.prompts(),
            TOPICS.deadLetters(),
            TOPICS.snapshots())) {
      for (int partition = 0; partition < topic.partitions(); partition++) {
        String key = topic.name() + "-" + partition;
        long end = nextOffsets.getOrDefault(key, 0L) + 1;
        if (!missingTopics.contains(topic.name())) {
          extents.add(
              new PartitionExtent(
                  topic.name(),
                  partition,
                  firstOffsets.getOrDefault(key, 0L),
                  knownEnds.getOrDefault(key, end),
                  end));
        }
      }
    }
    StepEvent first =
        ledger().isEmpty() || !(ledger().get(0).record instanceof StepEvent event) ? null : event;
    return new LogAudit(new AuditScope(runId, TOPICS.prefix(), first, extents, missingTopics));
  }

  private List<Row> interleaved(Random order) {
    Map<String, List<Row>> queues = new TreeMap<>();
    for (Row row : rows) {
      queues.computeIfAbsent(row.topic + "-" + row.partition, key -> new ArrayList<>()).add(row);
    }
    List<String> turns = new ArrayList<>();
    queues.forEach(
        (key, queue) -> {
          queue.sort(java.util.Comparator.comparingLong(row -> row.offset));
          turns.addAll(Collections.nCopies(queue.size(), key));
        });
    Collections.shuffle(turns, order);
    Map<String, Integer> taken = new HashMap<>();
    return turns.stream()
        .map(key -> queues.get(key).get(taken.merge(key, 1, Integer::sum) - 1))
        .toList();
  }

  AuditedRecord audited(Row row) {
    Decoded decoded =
        row.record == null
            ? new Decoded.Rejected(RejectionReason.UNDECODABLE, "no wire format")
            : codec.decode(row.topic, row.bytes);
    return new AuditedRecord(row.topic, row.partition, row.offset, row.bytes, decoded);
  }

  /** Changes a field of a record that is in the log. */
  static void set(SpecificRecord record, String field, Object value) {
    record.put(record.getSchema().getField(field).pos(), value);
  }

  static String definition(String algorithm) {
    return "{\"algorithm\":\""
        + algorithm
        + "\",\"dispatch\":{\"groupsPerWindow\":"
        + GROUPS
        + "}}";
  }

  static PromptTask task(long groupId, int attempt, long version) {
    return PromptTask.newBuilder()
        .setRunId(RUN)
        .setWindowIndex(groupId / GROUPS)
        .setSlot((int) (groupId % GROUPS))
        .setGroupId(groupId)
        .setAttempt(attempt)
        .setPromptId("set:1")
        .setPrompt("1=")
        .setReferenceAnswer("1")
        .setReward("exact-match")
        .setSamplesPerGroup(1)
        .setSampling(
            SamplingRequest.newBuilder()
                .setTemperature(1)
                .setTopK(0)
                .setTopP(1)
                .setMinP(0)
                .setRepetitionPenalty(1)
                .setMaxResponseTokens(2)
                .build())
        .setSeed(5)
        .setMinPolicyVersion(version)
        .setExactPolicyVersion(version)
        .build();
  }

  static RolloutGroup group(long groupId, int attempt, long version, String runId) {
    return RolloutGroup.newBuilder()
        .setRunId(runId)
        .setGroupId(groupId)
        .setWindowIndex(groupId / GROUPS)
        .setAttempt(attempt)
        .setPromptId("set:1")
        .setPromptTokens(List.of(1))
        .setSamplesPerGroup(1)
        .setModelHash("model")
        .setTokenizerHash("tokenizer")
        .setProducerId("p")
        .setGeneratedAt(0)
        .setGenerationMillis(1)
        .setResponses(
            List.of(
                Response.newBuilder()
                    .setTokens(List.of(1))
                    .setBehaviorLogprobs(List.of(-0.5f))
                    .setLossMask(List.of(true))
                    .setBehaviorLogprobMask(List.of(true))
                    .setReward(1)
                    .setRewardComponents(Map.of())
                    .setFinishReason(FinishReason.STOP)
                    .setPolicyVersion(version)
                    .setVersionSegments(List.of(new VersionSegment(0, version)))
                    .setSampling(
                        Sampling.newBuilder()
                            .setTemperature(1)
                            .setTopK(0)
                            .setTopP(1)
                            .setMinP(0)
                            .setRepetitionPenalty(1)
                            .setSeed(5)
                            .setLogprobKind(LogprobKind.SAMPLING_DISTRIBUTION)
                            .setRenormalised(true)
                            .setWeightPrecision("float32")
                            .build())
                    .build()))
        .build();
  }

  /** The chunk and the manifest of a version. */
  List<Row> snapshotOf(long version) {
    return of(TOPICS.snapshots()).stream()
        .filter(
            row ->
                row.record instanceof SnapshotChunk chunk
                    ? chunk.getVersion() == version
                    : row.as(SnapshotManifest.class).getVersion() == version)
        .toList();
  }
}
