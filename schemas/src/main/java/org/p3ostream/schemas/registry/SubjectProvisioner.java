package org.p3ostream.schemas.registry;

import java.util.Collection;
import java.util.Map;
import org.apache.avro.Schema;
import org.p3ostream.schemas.serde.RegistryRefusedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers schemas, each under the full name of its record, and holds every subject to {@link
 * CompatibilityLevel#BACKWARD_TRANSITIVE}. Done before anything is written, so that the level does
 * not depend on the serializer: Confluent's registers schemas and sets no level.
 */
public final class SubjectProvisioner {
  private static final Logger LOG = LoggerFactory.getLogger(SubjectProvisioner.class);

  private final SchemaRegistryClient client;
  private final boolean registersSchemas;

  private SubjectProvisioner(SchemaRegistryClient client, boolean registersSchemas) {
    this.client = client;
    this.registersSchemas = registersSchemas;
  }

  /**
   * A provisioner for the registry that a serde with these settings talks to. With {@code
   * auto.register.schemas=false} it leaves the registry as it is.
   *
   * @throws org.apache.kafka.common.config.ConfigException if the settings name no registry or
   *     another subject name strategy
   */
  public static SubjectProvisioner of(Map<String, ?> settings) {
    RegistrySettings.checkSubjectStrategy(settings);
    return new SubjectProvisioner(
        new SchemaRegistryClient(RegistrySettings.parse(settings)),
        RegistrySettings.registersSchemas(settings));
  }

  /**
   * Provisions the subjects of all {@code schemas}.
   *
   * @throws org.p3ostream.schemas.serde.RegistryUnavailableException if the registry could not be
   *     asked
   * @throws RegistryRefusedException if it did not accept a schema or a level
   */
  public void provision(Collection<Schema> schemas) {
    if (!registersSchemas) {
      LOG.info("auto.register.schemas is false: the registry's subjects are left as they are");
      return;
    }
    try {
      schemas.forEach(schema -> provision(client, schema));
    } catch (RegistryRefusedException e) {
      throw new RegistryRefusedException(
          e.getMessage()
              + "; auto.register.schemas=false leaves the registry's subjects as they are",
          e.status(),
          e.errorCode(),
          e);
    }
  }

  /** Provisions one subject and returns the id of its schema. */
  static int provision(SchemaRegistryClient client, Schema schema) {
    String subject = schema.getFullName();
    int id = client.register(subject, schema);
    client.ensureCompatibility(subject, CompatibilityLevel.BACKWARD_TRANSITIVE);
    return id;
  }
}
