package org.p3ostream.tests.peers;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.serde.RecordTypes;

/**
 * What a reader made of a record. Two are equal exactly if key, schema and every value are.
 *
 * @param key number or name
 * @param schemaId id inside the registry
 * @param type full name of the record's schema
 * @param text all values, see {@link PeerJson#text}
 */
record ReceivedRecord(
    TopicPartition partition, String key, int schemaId, String type, String text) {

  private static final Set<Schema> NAMED =
      Set.of(MetricPoint.getClassSchema(), DeadLetter.getClassSchema());

  /** Decoded by a Java client. */
  static ReceivedRecord of(ConsumerRecord<byte[], ?> record, int schemaId, IndexedRecord value) {
    return new ReceivedRecord(
        new TopicPartition(record.topic(), record.partition()),
        keyText(record.key(), value.getSchema().getFullName()),
        schemaId,
        value.getSchema().getFullName(),
        PeerJson.text(value));
  }

  /** Decoded by the Node peer, as a line of its output. */
  static ReceivedRecord of(JsonNode line) {
    String type = line.get("record").textValue();
    return new ReceivedRecord(
        new TopicPartition(line.get("topic").textValue(), line.get("partition").intValue()),
        line.get("key").textValue(),
        line.get("schemaId").intValue(),
        type,
        PeerJson.text(PeerJson.record(RecordTypes.readerSchema(type), line.get("value"))));
  }

  /** Schema id of a value in the wire format. */
  static int schemaId(byte[] value) {
    return ByteBuffer.wrap(value, 1, Integer.BYTES).getInt();
  }

  private static String keyText(byte[] key, String type) {
    boolean isNamed = NAMED.stream().map(Schema::getFullName).anyMatch(type::equals);
    return isNamed
        ? new String(key, StandardCharsets.UTF_8)
        : Long.toString(ByteBuffer.wrap(key).getLong());
  }
}
