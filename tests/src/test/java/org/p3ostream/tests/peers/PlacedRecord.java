package org.p3ostream.tests.peers;

import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/**
 * A record and where it belongs.
 *
 * @param keyed the number or the name that is its key
 */
record PlacedRecord(TopicSpec topic, int partition, Object keyed, SpecificRecord value) {

  /**
   * @throws AssertionError for a type that has no topic here: a new one
   */
  static PlacedRecord of(TopicCatalogue topics, SpecificRecord value) {
    if (value instanceof PromptTask task) {
      return byGroup(topics.prompts(), task.getGroupId(), value);
    } else if (value instanceof RolloutGroup group) {
      return byGroup(topics.rollouts(), group.getGroupId(), value);
    } else if (value instanceof SnapshotChunk chunk) {
      return numbered(topics.snapshots(), 0, chunk.getVersion(), value);
    } else if (value instanceof SnapshotManifest manifest) {
      return numbered(topics.snapshots(), 0, manifest.getVersion(), value);
    } else if (value instanceof StepEvent event) {
      return numbered(topics.steps(), 0, event.getStep(), value);
    } else if (value instanceof MetricPoint point) {
      return named(topics.metrics(), point.getName(), value);
    } else if (value instanceof DeadLetter letter) {
      String source = letter.getSourcePartition() + "@" + letter.getSourceOffset();
      return named(topics.deadLetters(), source, value);
    }
    throw new AssertionError("no topic is known for " + value.getSchema().getFullName());
  }

  /** The key as bytes on the wire. */
  byte[] key() {
    return keyed instanceof Long number ? RecordKeys.of(number) : RecordKeys.of((String) keyed);
  }

  TopicPartition topicPartition() {
    return new TopicPartition(topic.name(), partition);
  }

  String type() {
    return value.getSchema().getFullName();
  }

  /** What whoever reads it must have received. */
  ReceivedRecord asReceived(int schemaId) {
    return new ReceivedRecord(
        topicPartition(), keyed.toString(), schemaId, type(), PeerJson.text(value));
  }

  private static PlacedRecord byGroup(TopicSpec topic, long groupId, SpecificRecord value) {
    return numbered(topic, topic.partitionOf(groupId), groupId, value);
  }

  private static PlacedRecord numbered(
      TopicSpec topic, int partition, long number, SpecificRecord value) {
    return new PlacedRecord(topic, partition, number, value);
  }

  private static PlacedRecord named(TopicSpec topic, String name, SpecificRecord value) {
    return new PlacedRecord(topic, 0, name, value);
  }
}
