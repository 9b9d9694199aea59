package org.p3ostream.policy.tokenizer;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import ai.djl.huggingface.tokenizers.jni.CharSpan;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.p3ostream.policy.torch.TorchRuntime;

/** The tokenizer of a model directory. Safe for use by several threads. */
public final class Tokenizer implements AutoCloseable {

  private static final Map<String, String> TEXT_AS_IT_IS =
      Map.of("addSpecialTokens", "false", "truncation", "false", "padding", "false");

  private final HuggingFaceTokenizer tokenizer;
  private final OptionalInt unknownTokenId;
  private final String sha256;

  private Tokenizer(HuggingFaceTokenizer tokenizer, OptionalInt unknownTokenId, String sha256) {
    this.tokenizer = tokenizer;
    this.unknownTokenId = unknownTokenId;
    this.sha256 = sha256;
  }

  /**
   * Reads {@code tokenizer.json}.
   *
   * @throws IllegalArgumentException if it is no tokenizer file
   */
  public static Tokenizer load(Path tokenizerJson) {
    TorchRuntime.stayOffline();
    byte[] file = read(tokenizerJson);
    try {
      return new Tokenizer(
          HuggingFaceTokenizer.newInstance(new ByteArrayInputStream(file), TEXT_AS_IT_IS),
          UnknownToken.id(file),
          sha256(file));
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(
          tokenizerJson + ": not a tokenizer file: " + e.getMessage(), e);
    }
  }

  /**
   * Token ids of {@code text}, without special tokens added.
   *
   * @throws IllegalArgumentException naming the first character that the vocabulary cannot express
   */
  public int[] encode(String text) {
    Encoding encoding = encodeOrNull(text);
    if (encoding == null || !expresses(encoding, text)) {
      throw new IllegalArgumentException(firstUnknown(text));
    }
    return Arrays.stream(encoding.getIds()).mapToInt(Math::toIntExact).toArray();
  }

  /**
   * Text of {@code tokens}, special tokens (end-of-sequence, padding) left out. Ids beyond the
   * tokenizer's vocabulary, which a model with a padded embedding can sample, have no text.
   */
  public String decode(int[] tokens) {
    return tokenizer.decode(Arrays.stream(tokens).asLongStream().toArray(), true);
  }

  /** SHA-256, hexadecimal, of the file. */
  public String sha256() {
    return sha256;
  }

  @Override
  public void close() {
    tokenizer.close();
  }

  /** Null when the native tokenizer refuses the text. */
  private @Nullable Encoding encodeOrNull(String text) {
    try {
      return tokenizer.encode(text, false, false);
    } catch (RuntimeException e) { // the native side has no type of its own for this
      return null;
    }
  }

  /** Whether no token stands for "unknown" and no character but white space was dropped. */
  private boolean expresses(Encoding encoding, String text) {
    if (unknownTokenId.isPresent()
        && Arrays.stream(encoding.getIds()).anyMatch(id -> id == unknownTokenId.getAsInt())) {
      return false;
    }
    int[] codePoints = text.codePoints().toArray();
    boolean[] covered = new boolean[codePoints.length];
    for (CharSpan span : encoding.getCharTokenSpans()) {
      if (span != null) {
        Arrays.fill(covered, span.getStart(), span.getEnd(), true);
      }
    }
    for (int i = 0; i < codePoints.length; i++) {
      if (!covered[i] && !Character.isWhitespace(codePoints[i])) {
        return false;
      }
    }
    return true;
  }

  private String firstUnknown(String text) {
    int position = 0;
    for (int codePoint : text.codePoints().toArray()) {
      String character = Character.toString(codePoint);
      Encoding alone = encodeOrNull(character);
      if (alone == null || !expresses(alone, character)) {
        return String.format(
            "character '%s' (U+%04X) at position %d of \"%s\" is not in the tokenizer's vocabulary",
            character, codePoint, position, text);
      }
      position++;
    }
    return "the tokenizer's vocabulary cannot express \"" + text + "\"";
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot be read", e);
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
