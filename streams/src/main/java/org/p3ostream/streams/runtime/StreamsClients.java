package org.p3ostream.streams.runtime;

import java.util.Map;
import java.util.function.Supplier;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.streams.lookup.TokenDecoder;
import org.p3ostream.streams.lookup.TokenRatios;

/**
 * How the service reaches the outside.
 *
 * @param kafka client properties, {@code bootstrap.servers} and security among them
 * @param codecs makes a codec for each thread that needs one; the service closes them
 * @param tokens texts of tokens for those who look at samples; called on one thread at a time
 * @param ratios their ratios; likewise
 */
public record StreamsClients(
    Map<String, ?> kafka, Supplier<RecordCodec> codecs, TokenDecoder tokens, TokenRatios ratios) {
  public StreamsClients {
    kafka = Map.copyOf(kafka);
  }

  /** Without texts and ratios of tokens. */
  public StreamsClients(Map<String, ?> kafka, Supplier<RecordCodec> codecs) {
    this(kafka, codecs, TokenDecoder.NONE, TokenRatios.NONE);
  }
}
