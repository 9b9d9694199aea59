package org.p3ostream.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberAssignment;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ProducerGatheringTest {

  @Test
  void groupIsSharedOnceAllHaveTheirPart() {
    assertThat(ProducerGathering.isShared(group(GroupState.STABLE, 2, 2), 2)).isTrue();
    assertThat(ProducerGathering.isShared(group(GroupState.STABLE, 2, 1), 2)).isFalse();
    assertThat(ProducerGathering.isShared(group(GroupState.STABLE, 1, 1), 2)).isFalse();
    assertThat(ProducerGathering.isShared(group(GroupState.PREPARING_REBALANCE, 2, 2), 2))
        .isFalse();
  }

  @Test
  void groupIsSharedWithMoreMembersThanPartitionsOnceAllHaveJoined() {
    assertThat(ProducerGathering.isShared(group(GroupState.STABLE, 9, 8), 9)).isTrue();
    assertThat(ProducerGathering.isShared(group(GroupState.STABLE, 8, 8), 9)).isFalse();
  }

  private static ConsumerGroupDescription group(GroupState state, int members, int working) {
    List<MemberDescription> described =
        IntStream.range(0, members)
            .mapToObj(
                i ->
                    new MemberDescription(
                        "member-" + i,
                        Optional.empty(),
                        "client",
                        "host",
                        new MemberAssignment(
                            i < working
                                ? Set.of(new TopicPartition("p3o.prompts", i))
                                : Set.<TopicPartition>of()),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()))
            .toList();
    return new ConsumerGroupDescription(
        "group",
        false,
        described,
        "cooperative-sticky",
        GroupType.CLASSIC,
        state,
        Node.noNode(),
        Set.of(),
        Optional.empty(),
        Optional.empty());
  }
}
