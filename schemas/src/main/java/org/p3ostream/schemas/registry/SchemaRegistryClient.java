package org.p3ostream.schemas.registry;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.p3ostream.schemas.serde.RegistryRefusedException;
import org.p3ostream.schemas.serde.UnreadableSchemaException;

/**
 * Client of a registry that speaks the Confluent REST API, Avro only, without schema references.
 * What a registry never changes (the schema of an id, the id of a registered schema) is cached
 * without bound. Thread-safe.
 *
 * <p>Every method throws {@link org.p3ostream.schemas.serde.RegistryUnavailableException} when the
 * registry could not be asked after all retries, and {@link RegistryRefusedException} when it
 * answered with an error.
 */
public final class SchemaRegistryClient {

  private record SubjectText(String subject, String text) {}

  private record SubjectLevel(String subject, CompatibilityLevel level) {}

  /** No such subject, no such schema, no level set for the subject. */
  private static final int CONFLICT = 409;

  private static final Set<Integer> ABSENT = Set.of(40401, 40403, 40408);

  private final RegistryHttp http;
  private final Map<SubjectText, Integer> registered = new ConcurrentHashMap<>();
  private final Map<Integer, Schema> schemas = new ConcurrentHashMap<>();
  private final Set<SubjectLevel> ensured = ConcurrentHashMap.newKeySet();

  public SchemaRegistryClient(RegistryConfig config) {
    this(new RegistryHttp(config, Thread::sleep));
  }

  SchemaRegistryClient(RegistryHttp http) {
    this.http = http;
  }

  /**
   * Registers {@code schema} under {@code subject} unless it is there already.
   *
   * @return id of the schema
   */
  public int register(String subject, Schema schema) {
    String text = CanonicalSchema.textOf(schema);
    return registered.computeIfAbsent(
        new SubjectText(subject, text),
        key -> {
          JsonNode answer =
              http.post("/subjects/" + encoded(subject) + "/versions", Map.of("schema", text));
          return number(answer, "id");
        });
  }

  /**
   * The schema with this id.
   *
   * @throws UnreadableSchemaException if it is no Avro schema that stands for itself
   */
  public Schema schemaById(int id) {
    return schemas.computeIfAbsent(id, this::fetch);
  }

  /** Where {@code schema} stands under {@code subject}; empty if it is not registered there. */
  public Optional<RegisteredSchema> lookUp(String subject, Schema schema) {
    try {
      JsonNode answer =
          http.post(
              "/subjects/" + encoded(subject), Map.of("schema", CanonicalSchema.textOf(schema)));
      return Optional.of(
          new RegisteredSchema(subject, number(answer, "version"), number(answer, "id")));
    } catch (RegistryRefusedException e) {
      return emptyIfAbsent(e);
    }
  }

  /**
   * Level that the registry reports for {@code subject}: its own or, with some registries, the
   * global one; empty if it has none.
   */
  public Optional<CompatibilityLevel> compatibility(String subject) {
    try {
      JsonNode answer = http.get("/config/" + encoded(subject));
      return Optional.of(level(text(answer, "compatibilityLevel")));
    } catch (RegistryRefusedException e) {
      return emptyIfAbsent(e);
    }
  }

  /** Sets the level of {@code subject}. */
  public void setCompatibility(String subject, CompatibilityLevel level) {
    http.put("/config/" + encoded(subject), Map.of("compatibility", level.name()));
  }

  /**
   * Makes sure that {@code subject} has this level: sets it where it is another and reads it back.
   * Asks the registry once per subject and level.
   *
   * @throws IllegalStateException if the registry took the level and still reports another
   */
  public void ensureCompatibility(String subject, CompatibilityLevel level) {
    if (ensured.contains(new SubjectLevel(subject, level))) {
      return;
    }
    Optional<CompatibilityLevel> found = compatibility(subject);
    if (!found.equals(Optional.of(level))) {
      setUnlessAnotherClientJustDid(subject, level);
      found = compatibility(subject);
    }
    if (!found.equals(Optional.of(level))) {
      throw new IllegalStateException(
          "subject " + subject + " was set to " + level + " but reports " + found);
    }
    ensured.add(new SubjectLevel(subject, level));
  }

  /** Some registries answer a conflict when two clients set a subject's first level at once. */
  private void setUnlessAnotherClientJustDid(String subject, CompatibilityLevel level) {
    try {
      setCompatibility(subject, level);
    } catch (RegistryRefusedException e) {
      if (e.status() != CONFLICT) {
        throw e;
      }
    }
  }

  /** Names of all subjects. */
  public List<String> subjects() {
    List<String> names = new ArrayList<>();
    http.get("/subjects").forEach(name -> names.add(name.asText()));
    return names;
  }

  private Schema fetch(int id) {
    JsonNode answer = http.get("/schemas/ids/" + id);
    String type = answer.path("schemaType").asText("AVRO");
    if (!type.equals("AVRO")) {
      throw new UnreadableSchemaException("schema " + id + " is of type " + type, null);
    }
    try {
      return new Schema.Parser().parse(text(answer, "schema"));
    } catch (AvroRuntimeException e) {
      throw new UnreadableSchemaException("schema " + id + " cannot be parsed", e);
    }
  }

  private static <T> Optional<T> emptyIfAbsent(RegistryRefusedException answer) {
    if (!ABSENT.contains(answer.errorCode())) {
      throw answer;
    }
    return Optional.empty();
  }

  private static CompatibilityLevel level(String name) {
    try {
      return CompatibilityLevel.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new RegistryRefusedException("unknown compatibility level " + name, 200, 0, e);
    }
  }

  private static int number(JsonNode answer, String field) {
    if (!answer.path(field).isInt()) {
      throw new RegistryRefusedException("no number '" + field + "' in " + answer, 200, 0, null);
    }
    return answer.path(field).intValue();
  }

  private static String text(JsonNode answer, String field) {
    if (!answer.path(field).isTextual()) {
      throw new RegistryRefusedException("no text '" + field + "' in " + answer, 200, 0, null);
    }
    return answer.path(field).textValue();
  }

  private static String encoded(String subject) {
    return URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
