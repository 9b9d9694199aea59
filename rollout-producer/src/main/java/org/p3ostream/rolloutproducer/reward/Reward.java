package org.p3ostream.rolloutproducer.reward;

/** Scores a response. Always the same score for the same arguments, in bounded time. */
public interface Reward {

  /**
   * The score of one response.
   *
   * @param response decoded text, special tokens left out
   * @param referenceAnswer what the prompt's data set expects
   * @throws IllegalArgumentException if the reference answer is none this reward can work with
   */
  Score score(String response, String referenceAnswer);
}
