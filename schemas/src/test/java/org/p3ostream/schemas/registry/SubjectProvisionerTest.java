package org.p3ostream.schemas.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.serde.RecordTypes;
import org.p3ostream.schemas.serde.RegistryRefusedException;

class SubjectProvisionerTest {

  private RegistryServer server;

  @BeforeEach
  void startServer() throws IOException {
    server = new RegistryServer();
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  @Test
  void provisionRegistersEverySchemaAndSetsTheLevelOfItsSubject() {
    provisioner(Map.of()).provision(RecordTypes.schemas());

    SchemaRegistryClient client = new SchemaRegistryClient(server.config());
    for (Schema schema : RecordTypes.schemas()) {
      assertThat(client.lookUp(schema.getFullName(), schema)).isPresent();
      assertThat(server.level(schema.getFullName())).isEqualTo("BACKWARD_TRANSITIVE");
    }
  }

  @Test
  void provisionAsksNothingWhenSchemasAreNotToBeRegistered() {
    provisioner(Map.of("auto.register.schemas", "false")).provision(RecordTypes.schemas());

    assertThat(server.requests()).isEmpty();
  }

  @Test
  void provisionNamesTheWayOutWhenTheRegistryRefuses() {
    server.requireUser("learner", "secret");

    assertThatThrownBy(() -> provisioner(Map.of()).provision(RecordTypes.schemas()))
        .isInstanceOfSatisfying(
            RegistryRefusedException.class, e -> assertThat(e.status()).isEqualTo(401))
        .hasMessageContaining("/subjects/")
        .hasMessageContaining("auto.register.schemas=false");
  }

  @Test
  void provisionerRefusesAnotherSubjectNameStrategy() {
    Map<String, String> settings =
        Map.of(
            "value.subject.name.strategy",
            "io.confluent.kafka.serializers.subject.TopicNameStrategy");

    assertThatThrownBy(() -> provisioner(settings))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("only RecordNameStrategy is supported");
  }

  private SubjectProvisioner provisioner(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(server.config().settings());
    all.putAll(settings);
    return SubjectProvisioner.of(all);
  }
}
