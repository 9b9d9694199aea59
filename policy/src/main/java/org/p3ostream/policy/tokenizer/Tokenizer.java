package org.p3ostream.policy.tokenizer;

import java.nio.file.Path;

/** The tokenizer of a model directory. */
public final class Tokenizer implements AutoCloseable {

  private Tokenizer() {}

  /** Reads {@code tokenizer.json}. */
  public static Tokenizer load(Path tokenizerJson) {
    throw new UnsupportedOperationException("not built yet" + tokenizerJson);
  }

  /** Token ids of {@code text}, without special tokens added. */
  public int[] encode(String text) {
    throw new UnsupportedOperationException("not built yet" + text);
  }

  /** Text of {@code tokens}, special tokens (end-of-sequence, padding) left out. */
  public String decode(int[] tokens) {
    throw new UnsupportedOperationException("not built yet" + tokens.length);
  }

  /** SHA-256, hexadecimal, of the file. */
  public String sha256() {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("not built yet");
  }
}
