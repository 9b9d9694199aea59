package org.p3ostream.rolloutproducer.runtime;

import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/** Prepares a group's record before a transaction begins. */
final class GroupEncoder {

  /** Room for key, frame and batch header. */
  private static final int LARGEST_VALUE_BYTES = TopicCatalogue.MAX_ROLLOUT_BYTES - 4096;

  private final RecordCodec codec;
  private final TopicSpec rollouts;

  GroupEncoder(RecordCodec codec, TopicSpec rollouts) {
    this.codec = codec;
    this.rollouts = rollouts;
  }

  /** The record of {@code group}, or of its failure if no broker would take it for its size. */
  EncodedGroup encode(RolloutGroup group) {
    byte[] value = codec.encode(rollouts.name(), group);
    if (value.length > LARGEST_VALUE_BYTES) {
      return encode(
          tooLarge(
              group,
              "the group has %d bytes, the topic takes %d"
                  .formatted(value.length, LARGEST_VALUE_BYTES)));
    }
    long groupId = group.getGroupId();
    return new EncodedGroup(
        new ProducerRecord<>(
            rollouts.name(), rollouts.partitionOf(groupId), RecordKeys.of(groupId), value),
        group.getResponses().size(),
        group.getResponses().stream().map(Response::getTokens).mapToInt(List::size).sum(),
        group.getFailure() != null);
  }

  /** The failure of a group that was refused for its size. */
  EncodedGroup withoutResponses(EncodedGroup refused) {
    byte[] value = refused.record().value();
    Decoded.Accepted own = (Decoded.Accepted) codec.decode(rollouts.name(), value);
    String cause =
        "the group has %d bytes, more than topic %s takes (max.message.bytes) or a producer sends"
            + " (max.request.size)";
    return encode(
        tooLarge((RolloutGroup) own.record(), cause.formatted(value.length, rollouts.name())));
  }

  private static RolloutGroup tooLarge(RolloutGroup group, String cause) {
    return RolloutGroup.newBuilder(group).setResponses(List.of()).setFailure(cause).build();
  }
}
