package org.p3ostream.deploy.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import kafka.server.metadata.KRaftMetadataCache;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.server.common.KRaftVersion;
import org.junit.jupiter.api.Test;

/**
 * What the version of the local broker is chosen by (decision 019). It does not compile with Kafka
 * 4.3 and later, where the class has moved: look first whether KAFKA-20734 is mended.
 */
class BrokerVersionTest {

  private static final ListenerName LISTENER = new ListenerName("PLAINTEXT");

  /**
   * A coordinator that is told nothing of a partition takes it for deleted and commits without its
   * marker: whatever lies behind that is never read.
   */
  @Test
  void partitionWithoutLeaderIsNotTakenForDeleted() {
    Uuid topic = Uuid.randomUuid();
    MetadataDelta delta = new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build();
    delta.replay(new TopicRecord().setName("rollouts").setTopicId(topic));
    delta.replay(
        new PartitionRecord()
            .setTopicId(topic)
            .setPartitionId(0)
            .setReplicas(List.of(1))
            .setIsr(List.of(1))
            .setLeader(-1));
    KRaftMetadataCache cache = new KRaftMetadataCache(1, () -> KRaftVersion.KRAFT_VERSION_1);
    cache.setImage(delta.apply(MetadataProvenance.EMPTY));

    assertThat(cache.getPartitionLeaderEndpoint("rollouts", 0, LISTENER)).contains(Node.noNode());
    assertThat(cache.getPartitionLeaderEndpoint("rollouts", 1, LISTENER)).isEmpty();
  }
}
