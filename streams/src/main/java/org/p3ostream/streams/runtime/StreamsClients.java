package org.p3ostream.streams.runtime;

import java.util.Map;
import java.util.function.Supplier;
import org.p3ostream.schemas.serde.RecordCodec;

/**
 * How the service reaches the outside.
 *
 * @param kafka client properties, {@code bootstrap.servers} and security among them
 * @param codecs makes a codec for each thread that needs one; the service closes them
 */
public record StreamsClients(Map<String, ?> kafka, Supplier<RecordCodec> codecs) {
  public StreamsClients {
    kafka = Map.copyOf(kafka);
  }
}
