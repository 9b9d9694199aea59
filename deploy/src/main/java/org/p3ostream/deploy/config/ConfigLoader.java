package org.p3ostream.deploy.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads configurations: defaults, then the file, then overrides. */
public final class ConfigLoader {

  private static final ObjectMapper YAML =
      new ObjectMapper(
              YAMLFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .enable(YAMLParser.Feature.EMPTY_STRING_AS_NULL)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private ConfigLoader() {}

  /**
   * The resolved configuration.
   *
   * @param file YAML file; null for none
   * @param overrides {@code path=value}, applied in order
   * @throws ConfigException naming path, value and rule of everything that is wrong
   */
  public static P3oConfig load(@Nullable Path file, List<String> overrides) {
    return load(P3oConfig.defaults(), P3oConfig.class, file, overrides);
  }

  /**
   * A configuration with other values.
   *
   * @param algorithm name of another objective, which then takes its own defaults; null for the
   *     same
   * @param overrides {@code path=value}, applied in order
   * @throws ConfigException naming path, value and rule of everything that is wrong
   */
  public static P3oConfig over(
      P3oConfig config, @Nullable String algorithm, List<String> overrides) {
    if (algorithm == null) {
      return load(config, P3oConfig.class, MissingNode.getInstance(), overrides);
    }
    List<String> all = new ArrayList<>(List.of("algorithm.name=" + algorithm));
    all.addAll(overrides);
    return load(config.withObjectiveUnset(), P3oConfig.class, MissingNode.getInstance(), all);
  }

  /**
   * Another document of the same kind: a record whose components are its keys.
   *
   * @param defaults what holds where the document is silent
   * @param source where the text is from, for messages
   * @throws ConfigException naming path, value and rule of everything that is wrong
   */
  public static <T extends Record> T read(T defaults, Class<T> type, String source, String yaml) {
    return load(defaults, type, parse(source, yaml), List.of());
  }

  static <T extends Record> T load(
      T defaults, Class<T> type, @Nullable Path file, List<String> overrides) {
    return load(defaults, type, read(file), overrides);
  }

  private static <T extends Record> T load(
      T defaults, Class<T> type, JsonNode document, List<String> overrides) {
    ObjectNode tree = ConfigTree.of(defaults);
    ConfigOverlay overlay = new ConfigOverlay(ConfigShape.of(type), tree);
    overlay.addDocument(document);
    overrides.forEach(overlay::addOverride);
    overlay.settle();
    if (!overlay.problems().isEmpty()) {
      throw new ConfigException(overlay.problems());
    }
    return ConfigTree.bind(tree, type);
  }

  /** The tree that a piece of YAML amounts to. */
  static JsonNode parse(String yaml) throws JsonProcessingException {
    return YAML.readTree(yaml);
  }

  private static JsonNode read(@Nullable Path file) {
    if (file == null) {
      return MissingNode.getInstance();
    }
    try {
      return parse(file.toString(), Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new ConfigException("--config " + file + ": there is no such file");
    } catch (CharacterCodingException e) {
      throw new ConfigException("--config " + file + ": cannot be read: must be text in UTF-8");
    } catch (IOException e) {
      throw new ConfigException("--config " + file + ": cannot be read: " + e);
    }
  }

  private static JsonNode parse(String source, String yaml) {
    try {
      return parse(yaml);
    } catch (MismatchedInputException e) {
      throw new ConfigException(source + ": must be one document, another begins" + line(e));
    } catch (JsonProcessingException e) {
      throw new ConfigException(source + ": " + e.getOriginalMessage() + line(e));
    }
  }

  private static String line(JsonProcessingException e) {
    return " (line " + (e.getLocation() == null ? "unknown" : e.getLocation().getLineNr()) + ")";
  }
}
