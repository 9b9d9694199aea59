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
  void decodeWaitsWhenTheRegistryIsAwayForAWhile() {
    try (LoopbackRegistry registry = new LoopbackRegistry();
        RecordCodec writer = registry.codec();
        PatientCodec reader = new PatientCodec(registry.codec(), LONG, PAUSE)) {
      byte[] value = writer.encode("steps", Records.step(0).build());
      registry.failNext(3);

      assertThat(reader.decode("steps", value)).isInstanceOf(Decoded.Accepted.class);
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
          CompletableFuture.supplyAsync(
              () -> codec.encode("steps", Records.step(0).build()),
              task -> new Thread(task, "encoder").start()); // the common pool is for HTTP clients
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
