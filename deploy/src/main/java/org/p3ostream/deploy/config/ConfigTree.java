package org.p3ostream.deploy.config;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Settings records as trees and back. */
final class ConfigTree {

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(
              new SimpleModule()
                  .addSerializer(Duration.class, new DurationWriter())
                  .addDeserializer(Duration.class, new DurationReader()))
          .build();

  private ConfigTree() {}

  static ObjectNode of(Record settings) {
    return MAPPER.valueToTree(settings);
  }

  /**
   * The record in {@code tree}. Sections are bound one by one, so that all broken rules are told at
   * once; rules across sections are the record's own and come last.
   *
   * @throws ConfigException with what the records' constructors object to
   */
  static <T extends Record> T bind(ObjectNode tree, Class<T> type) {
    List<String> problems = new ArrayList<>();
    List<@Nullable Object> sections = new ArrayList<>();
    for (RecordComponent component : type.getRecordComponents()) {
      sections.add(bindSection(tree.get(component.getName()), component, problems));
    }
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return construct(type, sections);
  }

  private static @Nullable Object bindSection(
      JsonNode section, RecordComponent component, List<String> problems) {
    try {
      return MAPPER.readerFor(MAPPER.constructType(component.getGenericType())).readValue(section);
    } catch (JsonProcessingException e) {
      problems.add(ruleIn(e));
    } catch (IOException e) {
      throw new IllegalStateException("a tree in memory cannot fail to be read", e);
    }
    return null;
  }

  private static <T extends Record> T construct(Class<T> type, List<@Nullable Object> sections) {
    Class<?>[] types =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      return type.getDeclaredConstructor(types).newInstance(sections.toArray());
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IllegalArgumentException broken) {
        throw new ConfigException(String.valueOf(broken.getMessage()));
      }
      throw new IllegalStateException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot construct " + type, e);
    }
  }

  /** The message of the constructor that objected, without Jackson's frame. */
  private static String ruleIn(JsonProcessingException e) {
    return e.getCause() instanceof IllegalArgumentException broken
        ? String.valueOf(broken.getMessage())
        : e.getOriginalMessage();
  }

  private static final class DurationWriter extends StdSerializer<Duration> {
    private static final long serialVersionUID = 1L;

    DurationWriter() {
      super(Duration.class);
    }

    @Override
    public void serialize(Duration value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeString(DurationFormat.format(value));
    }
  }

  private static final class DurationReader extends StdDeserializer<Duration> {
    private static final long serialVersionUID = 1L;

    DurationReader() {
      super(Duration.class);
    }

    @Override
    public Duration deserialize(JsonParser in, DeserializationContext context) throws IOException {
      return DurationFormat.parse(in.getText());
    }
  }
}
