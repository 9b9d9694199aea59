package org.p3ostream.streams.lookup;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Texts of tokens. This module knows no tokenizer; whoever starts the service may bring one. */
public interface TokenDecoder {
  /** Knows no text of any token. */
  TokenDecoder NONE =
      new TokenDecoder() {
        @Override
        public String obstacle(String tokenizerHash) {
          return "no tokenizer was given to the service";
        }

        @Override
        public @Nullable List<String> pieces(String tokenizerHash, List<Integer> tokens) {
          return null;
        }
      };

  /** Why tokens under {@code tokenizerHash} have no text here; null if they have. */
  @Nullable String obstacle(String tokenizerHash);

  /**
   * The text that each of {@code tokens} adds to those before it: empty for special tokens and for
   * one that only begins a character. Null where there is an {@link #obstacle} or an id that is
   * none.
   */
  @Nullable List<String> pieces(String tokenizerHash, List<Integer> tokens);
}
