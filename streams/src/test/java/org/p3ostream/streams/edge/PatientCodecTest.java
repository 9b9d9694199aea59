package org.p3ostream.streams.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RegistryUnavailableException;
import org.p3ostream.streams.fixture.LoopbackRegistry;
import org.p3ostream.streams.fixture.Records;

class PatientCodecTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration PAUSE = Duration.ofMillis(5);

  @Test
  void decodeWaitsWhenTheRegistryIsAwayForAWhile() throws Exception {
    LoopbackRegistry first = new LoopbackRegistry();
    int port = first.port();
    byte[] value;
    try (RecordCodec writer = first.codec()) {
      value = writer.encode("steps", Records.step(0).build());
    }
    first.close();
    try (PatientCodec codec = new PatientCodec(LoopbackRegistry.codec(port), LONG, PAUSE)) {
      CompletableFuture<Decoded> decoded =
          CompletableFuture.supplyAsync(() -> codec.decode("steps", value));

      try (LoopbackRegistry back = new LoopbackRegistry(port);
          RecordCodec writer = back.codec()) {
        writer.encode("steps", Records.step(0).build());
        assertThat(decoded.get(30, TimeUnit.SECONDS)).isInstanceOf(Decoded.Accepted.class);
      }
    }
  }

  @Test
  void decodeThrowsWhenTheRegistryStaysAway() {
    try (PatientCodec codec =
        new PatientCodec(LoopbackRegistry.codec(1), Duration.ZERO, Duration.ZERO)) {
      assertThatThrownBy(() -> codec.decode("steps", new byte[] {0, 0, 0, 0, 1, 5}))
          .isInstanceOf(RegistryUnavailableException.class);
    }
  }

  @Test
  void encodeThrowsAtOnceWhenItIsToldToStopWaiting() throws Exception {
    try (PatientCodec codec = new PatientCodec(LoopbackRegistry.codec(1), LONG, PAUSE)) {
      CompletableFuture<byte[]> encoded =
          CompletableFuture.supplyAsync(() -> codec.encode("steps", Records.step(0).build()));
      codec.stopWaiting();

      assertThatThrownBy(() -> encoded.get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(RegistryUnavailableException.class);
    }
  }

  @Test
  void decodeRejectsAtOnceWhenTheBytesAreAtFault() {
    try (PatientCodec codec = new PatientCodec(LoopbackRegistry.codec(1), LONG, PAUSE)) {
      assertThat(codec.decode("steps", new byte[] {7})).isInstanceOf(Decoded.Rejected.class);
    }
  }
}
