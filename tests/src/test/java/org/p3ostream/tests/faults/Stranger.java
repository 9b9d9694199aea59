package org.p3ostream.tests.faults;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.tests.faults.IndependentAudit.Rollout;

/** Publishes what no producer of this run would: copies, other orders, other runs, garbage. */
final class Stranger {
  private final Producer<byte[], byte[]> producer;
  private final RecordCodec codec;
  private final TopicCatalogue topics;
  private long foreignPrompts;

  /**
   * @param producer without transactions
   */
  Stranger(Producer<byte[], byte[]> producer, RecordCodec codec, TopicCatalogue topics) {
    this.producer = producer;
    this.codec = codec;
    this.topics = topics;
  }

  /** Records on `prompts` that were published here. */
  long foreignPrompts() {
    return foreignPrompts;
  }

  /** The given groups once more. */
  void publishAgain(List<Rollout> groups) {
    send(groups.stream().map(this::record).toList());
  }

  /** The given groups from the last to the first, each twice. */
  void publishFromBehindTwice(List<Rollout> groups) {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    List<Rollout> reversed = new ArrayList<>(groups);
    Collections.reverse(reversed);
    for (Rollout group : reversed) {
      records.add(record(group));
      records.add(record(group));
    }
    send(records);
  }

  /**
   * What must not be trained, and must not harm either.
   *
   * @param settled a group whose window is trained
   * @param prompt any prompt of the run
   * @param unknownGroupId id that is far from being dispatched
   */
  void publishForeign(Rollout settled, PromptTask prompt, long unknownGroupId) {
    byte[] foreignPrompt = encode(PromptTask.newBuilder(prompt).setRunId("another run").build());
    RolloutGroup group =
        (RolloutGroup)
            ((Decoded.Accepted) codec.decode(topics.rollouts().name(), settled.value())).record();
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int partition = 0; partition < topics.rollouts().partitions(); partition++) {
      records.add(rollout(partition, null));
      records.add(rollout(partition, new byte[] {1, 2, 3}));
      records.add(rollout(partition, new byte[] {0, 127, 127, 127, 127, 1}));
      records.add(rollout(partition, foreignPrompt));
    }
    records.add(rollout(0, encode(RolloutGroup.newBuilder(group).setRunId("another run").build())));
    records.add(
        rollout(
            1,
            encode(
                RolloutGroup.newBuilder(group)
                    .setGroupId(unknownGroupId)
                    .setWindowIndex(unknownGroupId / SoakRun.GROUPS_PER_WINDOW)
                    .build())));
    List<Response> poisoned = new ArrayList<>();
    for (Response response : group.getResponses()) {
      poisoned.add(Response.newBuilder(response).setReward(Double.NaN).build());
    }
    records.add(rollout(2, encode(RolloutGroup.newBuilder(group).setResponses(poisoned).build())));
    for (int partition = 0; partition < topics.prompts().partitions(); partition++) {
      records.add(new ProducerRecord<>(topics.prompts().name(), partition, null, new byte[] {9}));
    }
    records.add(new ProducerRecord<>(topics.prompts().name(), 0, null, foreignPrompt));
    send(records);
    foreignPrompts += topics.prompts().partitions() + 1L;
  }

  private ProducerRecord<byte[], byte[]> record(Rollout rollout) {
    return new ProducerRecord<>(
        topics.rollouts().name(),
        rollout.partition(),
        RecordKeys.of(rollout.groupId()),
        rollout.value());
  }

  private ProducerRecord<byte[], byte[]> rollout(int partition, byte[] value) {
    return new ProducerRecord<>(topics.rollouts().name(), partition, null, value);
  }

  private byte[] encode(org.apache.avro.specific.SpecificRecord record) {
    return codec.encode(topics.rollouts().name(), record);
  }

  private void send(List<ProducerRecord<byte[], byte[]>> records) {
    List<Future<RecordMetadata>> sends = new ArrayList<>();
    records.forEach(record -> sends.add(producer.send(record)));
    try {
      for (Future<RecordMetadata> send : sends) {
        send.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a stranger's records were not taken", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
