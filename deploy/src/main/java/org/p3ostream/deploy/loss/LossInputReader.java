package org.p3ostream.deploy.loss;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.p3ostream.deploy.config.ConfigException;

/**
 * Reads tokens as JSON, {@code {"micro_batches": [[token, …], …]}} with any other keys beside it,
 * or as JSONL, one list of tokens per line and micro-batch. Nothing but the numbers is kept, so
 * that files may be large.
 */
final class LossInputReader {

  private static final String MICRO_BATCHES = "micro_batches";
  private static final String FORMS =
      "must be an object with " + MICRO_BATCHES + ", or one list of tokens per line";
  private static final int LOOK_AHEAD = 1 << 16;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS) // as Python writes them
          .build();

  private final String file;
  private final TokenParser token = new TokenParser();
  private final List<TokenColumns> microBatches = new ArrayList<>();
  private final Set<String> unknownKeys = new TreeSet<>();

  private LossInputReader(String file) {
    this.file = file;
  }

  /**
   * @param file name for messages
   * @param in read to its end; the caller's to close
   * @throws ConfigException naming line, field and rule of what is wrong
   */
  static LossInput read(String file, InputStream in) throws IOException {
    LossInputReader reader = new LossInputReader(file);
    BufferedInputStream buffered = new BufferedInputStream(in);
    switch (firstCharacter(buffered)) {
      case '{' -> reader.readObject(buffered);
      case '[' -> reader.readLines(buffered);
      case -1 -> throw new ConfigException(file + ": line 1: is empty; it " + FORMS);
      default -> throw new ConfigException(file + ": line 1: " + FORMS);
    }
    return new LossInput(
        List.copyOf(reader.microBatches), reader.token.unknownFields(), reader.unknownKeys);
  }

  /** First character that is neither white space nor a byte order mark; −1 if there is none. */
  private static int firstCharacter(BufferedInputStream in) throws IOException {
    in.mark(LOOK_AHEAD);
    int character = in.read();
    for (int read = 1; read < LOOK_AHEAD && isPassedOver(character); read++) {
      character = in.read();
    }
    in.reset();
    return character;
  }

  private static boolean isPassedOver(int character) {
    return character >= 0 && Character.isWhitespace(character)
        || character == 0xEF
        || character == 0xBB
        || character == 0xBF;
  }

  private void readObject(InputStream in) throws IOException {
    Place place = new Place(file, 0);
    try (JsonParser json = JSON.createParser(in)) {
      boolean found = false;
      json.nextToken();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String key = json.currentName();
        json.nextToken();
        if (key.equals(MICRO_BATCHES)) {
          found = true;
          readMicroBatches(json, place);
        } else {
          unknownKeys.add(key);
          json.skipChildren();
        }
      }
      if (!found) {
        throw place.problem(
            json,
            MICRO_BATCHES,
            "is missing; it must be a list of micro-batches" + Place.insteadOf(unknownKeys));
      }
      if (json.nextToken() != null) {
        throw place.problem(json, "", "more follows the object; there must be one step in a file");
      }
    } catch (JsonProcessingException e) {
      throw notJson(e, 0);
    } catch (CharConversionException e) {
      throw new ConfigException(file + ": must be UTF-8: " + e.getMessage());
    }
  }

  private void readMicroBatches(JsonParser json, Place place) throws IOException {
    requireList(json, MICRO_BATCHES, place);
    while (json.nextToken() != JsonToken.END_ARRAY) {
      readMicroBatch(json, MICRO_BATCHES + "[" + microBatches.size() + "]", place);
    }
  }

  private void readLines(InputStream in) throws IOException {
    BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder())); // malformed = error
    int number = 0;
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String content = number == 0 && line.startsWith("\uFEFF") ? line.substring(1) : line;
        if (!content.isBlank()) {
          readLine(content, new Place(file, number));
        }
        number++;
      }
    } catch (CharacterCodingException e) {
      throw new ConfigException(file + ": line " + (number + 1) + " or after: must be UTF-8");
    }
  }

  private void readLine(String line, Place place) throws IOException {
    try (JsonParser json = JSON.createParser(line)) {
      json.nextToken();
      readMicroBatch(json, "", place);
      if (json.nextToken() != null) {
        throw place.problem(json, "", "more follows the list; there must be one list per line");
      }
    } catch (JsonProcessingException e) {
      throw notJson(e, place.linesBefore());
    }
  }

  private void readMicroBatch(JsonParser json, String path, Place place) throws IOException {
    requireList(json, path, place);
    TokenColumns columns = new TokenColumns();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      token.read(json, path + "[" + columns.length() + "]", place);
      columns.add(token);
    }
    microBatches.add(columns);
  }

  private static void requireList(JsonParser json, String path, Place place) {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw place.problem(json, path, "must be a list");
    }
  }

  private ConfigException notJson(JsonProcessingException e, int linesBefore) {
    int line = e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getLineNr());
    return new ConfigException(
        "%s: line %d: must be JSON: %s"
            .formatted(
                file,
                linesBefore + line,
                e.getOriginalMessage().replaceAll("(?s) ?\\(start marker.*|\\R.*", "")));
  }
}
