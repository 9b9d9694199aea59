package org.p3ostream.deploy.clients;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * What a transaction that carries a snapshot takes, from its size.
 *
 * <pre>
 *   transaction.timeout.ms = min(10 s + S / 8 MiB/s, 15 min)     S = 4 P bytes, P parameters
 *   delivery.timeout.ms    = max(120 s, transaction.timeout.ms)
 *   buffer.memory          = S + 32 MiB, but at most 256 MiB
 * </pre>
 *
 * 8 MiB/s is a slow network with the broker's replication behind it; on a fast one the time-outs
 * are never reached. 15 minutes is the broker's default {@code transaction.max.timeout.ms}, and a
 * longer time-out would be refused: snapshots of more than 7 GB need both raised ({@code
 * kafka.transaction.timeout.ms} here). The time-out is also how long readers may have to wait
 * behind a learner that died in the middle of a transaction and is not started again. A buffer
 * smaller than the snapshot only makes sending wait for the network: all its bytes lie in memory
 * anyway, ready to be sent again.
 *
 * @param snapshotBytes S
 */
record SnapshotBudget(long snapshotBytes) {

  private static final long BASE_MS = 10_000;
  private static final long LONGEST_MS = 900_000;
  private static final long BYTES_PER_SECOND = 8L << 20;
  private static final long DEFAULT_DELIVERY_MS = 120_000;
  private static final long DEFAULT_BUFFER_BYTES = 32L << 20;
  private static final long LARGEST_BUFFER_BYTES = 256L << 20;

  SnapshotBudget {
    if (snapshotBytes < 0) {
      throw new IllegalArgumentException("a snapshot cannot have " + snapshotBytes + " bytes");
    }
  }

  long transactionTimeoutMs() {
    return Math.min(LONGEST_MS, BASE_MS + snapshotBytes * 1000 / BYTES_PER_SECOND);
  }

  long deliveryTimeoutMs() {
    return Math.max(DEFAULT_DELIVERY_MS, transactionTimeoutMs());
  }

  long bufferBytes() {
    return Math.min(LARGEST_BUFFER_BYTES, DEFAULT_BUFFER_BYTES + snapshotBytes);
  }

  /** As producer properties. */
  Map<String, String> properties() {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(
        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, Long.toString(transactionTimeoutMs()));
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Long.toString(deliveryTimeoutMs()));
    properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, Long.toString(bufferBytes()));
    return properties;
  }
}
