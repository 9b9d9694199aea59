package org.p3ostream.deploy.log;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.p3ostream.policy.tokenizer.Tokenizer;

/** Texts of tokens, where the tokenizer at hand is the one that they were sampled with. */
public final class TokenTexts implements AutoCloseable {

  private static final int SHOWN_HASH = 12;

  /** What a decoder writes for bytes that are no whole character. */
  private static final String CUT_CHARACTER = "\uFFFD";

  /** Most tokens that one character may take; after as many without text none is waited for. */
  private static final int LONGEST_CHARACTER = 8;

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

  /**
   * The text that each of {@code tokens} adds to those before it; null where {@link #text} is. A
   * token that only begins a character, or that has no text, adds nothing; the one that completes
   * the character adds it. Each is decoded behind the last ones that had text, since a tokenizer
   * may write a token otherwise at the beginning of a text.
   */
  @Nullable List<String> pieces(String tokenizerHash, List<Integer> tokens) {
    if (text(tokenizerHash, tokens.subList(0, 0)) == null || tokens.stream().anyMatch(t -> t < 0)) {
      return null;
    }
    List<String> pieces = new ArrayList<>(tokens.size());
    int context = 0; // first token that is decoded along
    int read = 0; // first token whose text is not out yet
    String before = "";
    for (int end = 1; end <= tokens.size(); end++) {
      String now = decode(tokens.subList(context, end));
      boolean complete = now.length() > before.length() && !now.endsWith(CUT_CHARACTER);
      pieces.add(complete ? now.substring(before.length()) : "");
      if (complete || end - read > LONGEST_CHARACTER) {
        context = read;
        read = end;
        before = decode(tokens.subList(context, read));
      }
    }
    return pieces;
  }

  private String decode(List<Integer> tokens) {
    return Objects.requireNonNull(tokenizer)
        .decode(tokens.stream().mapToInt(Integer::intValue).toArray());
  }

  @Override
  public void close() {
    if (tokenizer != null) {
      tokenizer.close();
    }
  }
}
