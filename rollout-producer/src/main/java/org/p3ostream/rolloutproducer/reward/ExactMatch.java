package org.p3ostream.rolloutproducer.reward;

/** 1 when response and reference answer are equal after leading and trailing blanks are cut. */
final class ExactMatch implements Reward {
  static final String NAME = "exact-match";

  @Override
  public Score score(String response, String referenceAnswer) {
    return Score.pass(NAME, response.strip().equals(referenceAnswer.strip()));
  }
}
