package org.p3ostream.learner.runtime;

import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RegistryUnavailableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decodes the values of one topic, asking the registry again where it does not answer at once. */
final class PatientDecoder {
  private static final Logger LOG = LoggerFactory.getLogger(PatientDecoder.class);
  private static final int ATTEMPTS = 10;

  private final RecordCodec codec;
  private final String topic;

  PatientDecoder(RecordCodec codec, String topic) {
    this.codec = codec;
    this.topic = topic;
  }

  /**
   * The record in a value, or why there is none.
   *
   * @throws RegistryUnavailableException if the registry stays away
   */
  Decoded decode(byte[] value) {
    for (int attempt = 1; ; attempt++) {
      try {
        return codec.decode(topic, value);
      } catch (RegistryUnavailableException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
        LOG.warn("registry not reachable, trying again: {}", e.getMessage());
      }
    }
  }
}
