package org.p3ostream.tests.fuzz;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicSpec;

/**
 * Makes records for a prompt that is open: noise around the answer, broken answers, good answers.
 * Which label a record has does not depend on timing: noise that speaks of a group lies in front of
 * its answer in the same partition, copies lie behind what they copy.
 */
final class RolloutFuzz {

  /** Schema ids that no registry gave. */
  private static final int UNKNOWN_SCHEMA_ID = 0x7f000000;

  private static final int UNKNOWN_SCHEMA_IDS = 20;
  private static final int HUGE_TEXT = 1_000_000;
  private static final int KEPT_ANSWERS = 50;

  private final SplittableRandom random;
  private final RecordCodec codec;
  private final TopicSpec rollouts;
  private final Identity identity;
  private final int groupsPerWindow;
  private final byte[] point;
  private final List<FuzzedRecord> answers = new ArrayList<>(); // some of the good ones

  /**
   * What a group must say of its origin.
   *
   * @param vocabSize V
   * @param longestResponse tokens
   */
  record Identity(
      String runId, String modelHash, String tokenizerHash, int vocabSize, int longestResponse) {}

  RolloutFuzz(
      long seed, RecordCodec codec, TopicSpec rollouts, Identity identity, int groupsPerWindow) {
    this.random = new SplittableRandom(seed);
    this.codec = codec;
    this.rollouts = rollouts;
    this.identity = identity;
    this.groupsPerWindow = groupsPerWindow;
    this.point =
        codec.encode(
            rollouts.name(),
            new MetricPoint(identity.runId(), "train/grad_norm", 0L, 1d, "1", Map.of(), 0L));
  }

  /** A record that must not be trained on, to be sent before the answer to an open prompt. */
  FuzzedRecord noise(PromptTask task) {
    int kind = random.nextInt(1000);
    if (kind < 100) {
      return anywhere(bytes(1 + random.nextInt(60)), RejectionReason.UNDECODABLE);
    } else if (kind < 120) {
      return anywhere(random.nextBoolean() ? null : new byte[0], RejectionReason.UNDECODABLE);
    } else if (kind < 130) {
      return anywhere(unknownSchema(), RejectionReason.UNKNOWN_SCHEMA);
    } else if (kind < 180) {
      byte[] whole = encode(answer(task));
      byte[] cut =
          Arrays.copyOf(whole, random.nextInt(RecordCodec.WIRE_HEADER_BYTES, whole.length));
      return anywhere(cut, RejectionReason.UNDECODABLE);
    } else if (kind < 230) {
      return anywhere(flipped(encode(foreign(task, "elsewhere"))), Labels.REJECTED);
    } else if (kind < 270) {
      return anywhere(point, RejectionReason.WRONG_RECORD_TYPE);
    } else if (kind < 400) {
      return anywhere(encode(foreign(task, "elsewhere")), RejectionReason.FOREIGN_RUN);
    } else if (kind < 401) {
      return anywhere(
          encode(foreign(task, "語".repeat(HUGE_TEXT / 3))), RejectionReason.FOREIGN_RUN);
    } else if (kind < 600) {
      return anywhere(encode(undispatched(task)), RejectionReason.NOT_DISPATCHED);
    } else if (kind < 700) {
      return besideAnswer(task, laterAttempt(task), RejectionReason.NOT_DISPATCHED);
    } else if (kind < 750) {
      RolloutGroup astray =
          RolloutGroup.newBuilder(answer(task)).setWindowIndex(task.getWindowIndex() + 1).build();
      return besideAnswer(task, astray, RejectionReason.NOT_DISPATCHED);
    } else if (kind < 800 && task.getAttempt() > 0) {
      RolloutGroup earlier =
          RolloutGroup.newBuilder(answer(task))
              .setAttempt(random.nextInt(task.getAttempt()))
              .build();
      return besideAnswer(task, earlier, RejectionReason.SUPERSEDED);
    } else if (!answers.isEmpty()) {
      FuzzedRecord copied = answers.get(random.nextInt(answers.size()));
      return new FuzzedRecord(
          copied.partition(), copied.value(), Labels.of(RejectionReason.DUPLICATE));
    }
    return anywhere(encode(foreign(task, "")), RejectionReason.FOREIGN_RUN);
  }

  /** An answer that breaks one rule. */
  FuzzedRecord brokenAnswer(PromptTask task) {
    Breach breach = Breach.values()[random.nextInt(Breach.values().length)];
    return besideAnswer(task, breach.of(answer(task)), breach.reason());
  }

  /** An answer that keeps all rules; its producer id is now and then beyond all measure. */
  FuzzedRecord goodAnswer(PromptTask task) {
    RolloutGroup answer = answer(task);
    if (random.nextInt(50) == 0) {
      answer = RolloutGroup.newBuilder(answer).setProducerId("p".repeat(HUGE_TEXT)).build();
    }
    FuzzedRecord record =
        new FuzzedRecord(rollouts.partitionOf(task.getGroupId()), encode(answer), Labels.VALID);
    if (record.value().length < HUGE_TEXT) {
      if (answers.size() == KEPT_ANSWERS) {
        answers.remove(random.nextInt(KEPT_ANSWERS));
      }
      answers.add(record);
    }
    return record;
  }

  private RolloutGroup answer(PromptTask task) {
    List<Response> responses = new ArrayList<>();
    for (int i = 0; i < task.getSamplesPerGroup(); i++) {
      responses.add(response(task.getMinPolicyVersion(), i));
    }
    return RolloutGroup.newBuilder()
        .setRunId(task.getRunId())
        .setGroupId(task.getGroupId())
        .setWindowIndex(task.getWindowIndex())
        .setAttempt(task.getAttempt())
        .setPromptId(task.getPromptId())
        .setPromptTokens(tokens(4))
        .setSamplesPerGroup(task.getSamplesPerGroup())
        .setModelHash(identity.modelHash())
        .setTokenizerHash(identity.tokenizerHash())
        .setProducerId("fuzz")
        .setGeneratedAt(0)
        .setGenerationMillis(0)
        .setResponses(responses)
        .build();
  }

  private Response response(long version, double reward) {
    int length = 1 + random.nextInt(identity.longestResponse());
    List<Float> logprobs = new ArrayList<>();
    for (int t = 0; t < length; t++) {
      logprobs.add((float) (-0.1 - 4 * random.nextDouble()));
    }
    return Response.newBuilder()
        .setTokens(tokens(length))
        .setBehaviorLogprobs(logprobs)
        .setLossMask(Collections.nCopies(length, true))
        .setBehaviorLogprobMask(Collections.nCopies(length, true))
        .setReward(reward)
        .setFinishReason(FinishReason.LENGTH)
        .setPolicyVersion(version)
        .setVersionSegments(List.of(new VersionSegment(0, version)))
        .setSampling(
            Sampling.newBuilder()
                .setTemperature(1)
                .setTopK(0)
                .setTopP(1)
                .setMinP(0)
                .setRepetitionPenalty(1)
                .setSeed(0)
                .setLogprobKind(LogprobKind.SAMPLING_DISTRIBUTION)
                .setRenormalised(true)
                .setWeightPrecision("float32")
                .build())
        .build();
  }

  private RolloutGroup foreign(PromptTask task, String runId) {
    return RolloutGroup.newBuilder(answer(task)).setRunId(runId).build();
  }

  private RolloutGroup undispatched(PromptTask task) {
    long window = random.nextBoolean() ? (1L << 40) + random.nextInt(1000) : -1 - random.nextInt(9);
    return RolloutGroup.newBuilder(answer(task))
        .setWindowIndex(window)
        .setGroupId(window * groupsPerWindow + random.nextInt(groupsPerWindow))
        .build();
  }

  private RolloutGroup laterAttempt(PromptTask task) {
    int attempt = random.nextBoolean() ? task.getAttempt() + 1 + random.nextInt(5) : -1;
    return RolloutGroup.newBuilder(answer(task)).setAttempt(attempt).build();
  }

  private byte[] unknownSchema() {
    return ByteBuffer.allocate(RecordCodec.WIRE_HEADER_BYTES + 8)
        .put((byte) 0)
        .putInt(UNKNOWN_SCHEMA_ID + random.nextInt(UNKNOWN_SCHEMA_IDS))
        .array();
  }

  /** The schema id stays as it is: what another one would read is not foreseeable. */
  private byte[] flipped(byte[] value) {
    int at = random.nextInt(RecordCodec.WIRE_HEADER_BYTES, value.length);
    value[at] ^= (byte) (1 << random.nextInt(8));
    return value;
  }

  private FuzzedRecord anywhere(byte[] value, RejectionReason reason) {
    return anywhere(value, Labels.of(reason));
  }

  private FuzzedRecord anywhere(byte[] value, byte label) {
    return new FuzzedRecord(random.nextInt(rollouts.partitions()), value, label);
  }

  private FuzzedRecord besideAnswer(PromptTask task, RolloutGroup group, RejectionReason reason) {
    return new FuzzedRecord(
        rollouts.partitionOf(task.getGroupId()), encode(group), Labels.of(reason));
  }

  private byte[] encode(RolloutGroup group) {
    return codec.encode(rollouts.name(), group);
  }

  private List<Integer> tokens(int length) {
    return random.ints(length, 0, identity.vocabSize()).boxed().toList();
  }

  /** Never the magic byte in front. */
  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    bytes[0] |= 1;
    return bytes;
  }
}
