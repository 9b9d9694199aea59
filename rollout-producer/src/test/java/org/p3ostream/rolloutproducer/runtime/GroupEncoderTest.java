package org.p3ostream.rolloutproducer.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.policy.sampling.RecordedLogprob;
import org.p3ostream.rolloutproducer.PromptTasks;
import org.p3ostream.rolloutproducer.TaggedAvro;
import org.p3ostream.rolloutproducer.generation.GroupAssembler;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicCatalogue;

class GroupEncoderTest {

  private final RecordCodec codec = TaggedAvro.codec();
  private final GroupEncoder encoder = new GroupEncoder(codec, new TopicCatalogue("a.").rollouts());
  private final RolloutGroup failed =
      new GroupAssembler("model", "tokenizer", "b", RecordedLogprob.SAMPLING)
          .failed(PromptTasks.task(6), new int[] {1}, "no such reward", Instant.EPOCH);

  @Test
  void encodeAddressesTheGroupByItsId() {
    EncodedGroup encoded = encoder.encode(failed);

    assertThat(encoded.record().topic()).isEqualTo("a.rollouts");
    assertThat(encoded.record().partition()).isEqualTo(2);
    assertThat(encoded.record().key()).isEqualTo(RecordKeys.of(6));
    assertThat(codec.decode("a.rollouts", encoded.record().value()))
        .isEqualTo(new Decoded.Accepted(failed));
    assertThat(encoded.failed()).isTrue();
    assertThat(encoded.responseTokens()).isZero();
  }

  @Test
  void encodeGivesAGroupUpWhenNoBrokerWouldTakeIt() {
    int tokens = TopicCatalogue.MAX_ROLLOUT_BYTES / 4;
    Response response =
        Response.newBuilder(LoopHarness.response(0))
            .setTokens(Collections.nCopies(tokens, 1))
            .setBehaviorLogprobs(Collections.nCopies(tokens, -1f))
            .build();
    RolloutGroup group =
        RolloutGroup.newBuilder(failed).setFailure(null).setResponses(List.of(response)).build();

    EncodedGroup encoded = encoder.encode(group);

    assertThat(encoded.failed()).isTrue();
    assertThat(encoded.record().value()).hasSizeLessThan(1000);
  }
}
