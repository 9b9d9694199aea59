package org.p3ostream.deploy.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SnapshotBudgetTest {

  @ParameterizedTest
  @CsvSource({
    // MiB, transaction ms, delivery ms, buffer MiB
    "0, 10000, 120000, 32",
    "8, 11000, 120000, 40",
    "800, 110000, 120000, 256",
    "1600, 210000, 210000, 256",
    "7120, 900000, 900000, 256",
    "80000, 900000, 900000, 256"
  })
  void limitsFollowTheSizeUpToWhatABrokerAllows(
      long mebibytes, long transactionMs, long deliveryMs, long bufferMebibytes) {
    SnapshotBudget budget = new SnapshotBudget(mebibytes << 20);
    assertThat(budget.transactionTimeoutMs()).isEqualTo(transactionMs);
    assertThat(budget.deliveryTimeoutMs()).isEqualTo(deliveryMs);
    assertThat(budget.bufferBytes()).isEqualTo(bufferMebibytes << 20);
  }

  @Test
  void theClientTakesTheProperties() {
    Map<String, Object> properties =
        new ClientProperties(Map.of("bootstrap.servers", "b:1"))
            .learnerProducer("id-1", new SnapshotBudget(1600L << 20));
    assertThat(properties)
        .containsEntry("transactional.id", "id-1")
        .containsEntry("transaction.timeout.ms", "210000")
        .containsEntry("delivery.timeout.ms", "210000")
        .containsEntry("buffer.memory", "268435456");
    ProducerConfig parsed = new ProducerConfig(properties);
    assertThat(parsed.getInt("delivery.timeout.ms")).isEqualTo(210_000);
  }

  @Test
  void whatTheUserConfiguredWins() {
    ClientProperties properties =
        new ClientProperties(
            Map.of(
                "bootstrap.servers", "b:1",
                "transaction.timeout.ms", "7000",
                "buffer.memory", "1000000"));
    assertThat(properties.learnerProducer("id-1", new SnapshotBudget(1600L << 20)))
        .containsEntry("transaction.timeout.ms", "7000")
        .containsEntry("delivery.timeout.ms", "210000")
        .containsEntry("buffer.memory", "1000000");
  }

  @Test
  void aSizeBelowZeroIsRefused() {
    assertThatThrownBy(() -> new SnapshotBudget(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1 bytes");
  }
}
