package org.p3ostream.deploy.log;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.lookup.TokenDecoder;

/**
 * Texts of tokens for whoever looks at samples in the dashboard. The tokenizer and its native
 * library are loaded when the first are asked for; most services are never asked.
 */
public final class SampleTexts implements TokenDecoder, AutoCloseable {

  private final String modelDirectory;
  private @Nullable TokenTexts texts;

  public SampleTexts(String modelDirectory) {
    this.modelDirectory = modelDirectory;
  }

  @Override
  public @Nullable String obstacle(String tokenizerHash) {
    return texts().obstacle(tokenizerHash);
  }

  @Override
  public @Nullable List<String> pieces(String tokenizerHash, List<Integer> tokens) {
    return texts().pieces(tokenizerHash, tokens);
  }

  private synchronized TokenTexts texts() {
    if (texts == null) {
      texts = TokenTexts.of(modelDirectory);
    }
    return texts;
  }

  @Override
  public synchronized void close() {
    if (texts != null) {
      texts.close();
    }
  }
}
