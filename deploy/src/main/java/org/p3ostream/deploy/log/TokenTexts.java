package org.p3ostream.deploy.log;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.policy.tokenizer.Tokenizer;

/** Texts of tokens, where the tokenizer at hand is the one that they were sampled with. */
public final class TokenTexts implements AutoCloseable {

  private static final int SHOWN_HASH = 12;

  private final String directory;
  private final @Nullable Tokenizer tokenizer;
  private final @Nullable String missing;

  private TokenTexts(String directory, @Nullable Tokenizer tokenizer, @Nullable String missing) {
    this.directory = directory;
    this.tokenizer = tokenizer;
    this.missing = missing;
  }

  /** Reads the tokenizer of a model directory; there need not be one. */
  public static TokenTexts of(String modelDirectory) {
    try {
      Path file = Path.of(modelDirectory).resolve("tokenizer.json");
      return new TokenTexts(modelDirectory, Tokenizer.load(file), null);
    } catch (RuntimeException e) { // whatever the reason: token ids can be shown without it
      return new TokenTexts(modelDirectory, null, String.valueOf(e.getMessage()));
    }
  }

  /** Why tokens under {@code tokenizerHash} have no text here; null if they have. */
  @Nullable String obstacle(String tokenizerHash) {
    if (tokenizer == null) {
      return "model.directory=" + directory + " has no usable tokenizer (" + missing + ")";
    }
    return tokenizer.sha256().equals(tokenizerHash)
        ? null
        : "model.directory=%s has tokenizer %.12s, the group was sampled with %s"
            .formatted(
                directory,
                tokenizer.sha256(),
                tokenizerHash.substring(0, Math.min(SHOWN_HASH, tokenizerHash.length())));
  }

  /** Text of {@code tokens}; null where there is an {@link #obstacle} or an id that is none. */
  @Nullable String text(String tokenizerHash, List<Integer> tokens) {
    boolean impossible = tokens.stream().anyMatch(token -> token < 0);
    if (tokenizer == null || impossible || obstacle(tokenizerHash) != null) {
      return null;
    }
    return tokenizer.decode(tokens.stream().mapToInt(Integer::intValue).toArray());
  }

  @Override
  public void close() {
    if (tokenizer != null) {
      tokenizer.close();
    }
  }
}
