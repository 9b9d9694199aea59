package org.p3ostream.streams.runtime;

import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProductionExceptionHandler;

/**
 * Lets the stream thread die of every record that could not be sent, a time-out included.
 *
 * <p>Kafka Streams' own handler answers a time-out with "retry": the task that had sent the record
 * is closed and restored, and the transaction aborted. But the tasks of a thread share one
 * producer, so the error reaches whichever of them sends next. That one is not restored, and what
 * it had changed in its stores since the last commit stays, although the transaction that recorded
 * it is gone: a step would be settled in its state and missing in {@code metrics}. When the thread
 * dies no store outlives it, and a new start restores all of them from what was committed.
 */
public final class FailOnSendError implements ProductionExceptionHandler {

  @Override
  public Response handleError(
      ErrorHandlerContext context, ProducerRecord<byte[], byte[]> record, Exception exception) {
    return Response.fail();
  }

  @Override
  @SuppressWarnings("rawtypes") // as declared by Kafka Streams
  public Response handleSerializationError(
      ErrorHandlerContext context,
      ProducerRecord record,
      Exception exception,
      SerializationExceptionOrigin origin) {
    return Response.fail();
  }

  @Override
  public void configure(Map<String, ?> configs) {
    // nothing to configure
  }
}
