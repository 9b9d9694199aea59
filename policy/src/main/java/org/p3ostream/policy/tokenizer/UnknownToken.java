package org.p3ostream.policy.tokenizer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.OptionalInt;

/** Which token, if any, a tokenizer file writes for text it cannot express. */
final class UnknownToken {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private UnknownToken() {}

  /** Id of the unknown token; empty if the file names none or one that is in no vocabulary. */
  static OptionalInt id(byte[] tokenizerJson) throws IOException {
    JsonNode root = JSON.readTree(tokenizerJson);
    JsonNode model = root.path("model");
    if (model.path("unk_id").isInt()) {
      return OptionalInt.of(model.path("unk_id").intValue());
    }
    String token = model.path("unk_token").asText("");
    for (JsonNode added : root.path("added_tokens")) {
      if (added.path("content").asText().equals(token)) {
        return OptionalInt.of(added.path("id").intValue());
      }
    }
    JsonNode id = model.path("vocab").path(token);
    return id.isInt() ? OptionalInt.of(id.intValue()) : OptionalInt.empty();
  }
}
