package org.p3ostream.tests.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.tests.support.LocalStackExtension;

/** Confluent's npm client {@code @confluentinc/schemaregistry}, on KafkaJS. */
@Tag("peers")
@ExtendWith(LocalStackExtension.class)
class NodePeerIT {

  @Test
  void nodeReadsEveryRecordTypeWithExactValues(LocalStack stack) throws Exception {
    try (PeerRun run = new PeerRun(stack)) {
      NodePeer node = NodePeer.install(run);

      run.publish();

      run.assertReceived(node.consume());
    }
  }

  @Test
  void whatNodeWritesIsReadHereWithExactValuesAndAddsNoSchema(LocalStack stack) throws Exception {
    try (PeerRun run = new PeerRun(stack)) {
      NodePeer node = NodePeer.install(run);
      Map<String, String> before = run.versions();
      Map<String, Integer> ids = run.schemaIds();

      for (JsonNode written : node.publish()) {
        String type = written.get("record").textValue();
        assertThat(written.get("schemaId").intValue()).isEqualTo(ids.get(type));
      }

      run.assertReceived(run.consume());
      assertThat(run.versions()).isEqualTo(before);
    }
  }
}
