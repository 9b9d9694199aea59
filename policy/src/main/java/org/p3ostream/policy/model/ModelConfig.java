package org.p3ostream.policy.model;

/**
 * Architecture of a Qwen3-style decoder, as in HuggingFace's {@code config.json}.
 *
 * @param vocabSize V
 * @param hiddenSize H
 * @param intermediateSize width of the SwiGLU layer
 * @param layers number of decoder layers
 * @param attentionHeads query heads
 * @param keyValueHeads key and value heads; divides attentionHeads
 * @param headDim width of one head, even
 * @param rmsNormEps added under the root
 * @param ropeTheta base of the rotary frequencies
 * @param tiedEmbeddings whether the output head is the embedding matrix
 * @param maxPositions longest sequence, tokens
 * @param eosTokenId end-of-sequence token
 * @param padTokenId padding token
 */
public record ModelConfig(
    int vocabSize,
    int hiddenSize,
    int intermediateSize,
    int layers,
    int attentionHeads,
    int keyValueHeads,
    int headDim,
    double rmsNormEps,
    double ropeTheta,
    boolean tiedEmbeddings,
    int maxPositions,
    int eosTokenId,
    int padTokenId) {

  public ModelConfig {
    requirePositive("vocabSize", vocabSize);
    requirePositive("hiddenSize", hiddenSize);
    requirePositive("intermediateSize", intermediateSize);
    requirePositive("layers", layers);
    requirePositive("attentionHeads", attentionHeads);
    requirePositive("keyValueHeads", keyValueHeads);
    requirePositive("headDim", headDim);
    requirePositive("maxPositions", maxPositions);
    require(
        attentionHeads % keyValueHeads == 0,
        "keyValueHeads",
        keyValueHeads,
        "must divide attentionHeads " + attentionHeads);
    require(headDim % 2 == 0, "headDim", headDim, "must be even (rotary embedding pairs halves)");
    require(
        rmsNormEps >= 0 && Double.isFinite(rmsNormEps),
        "rmsNormEps",
        rmsNormEps,
        "must be finite and >= 0");
    require(
        ropeTheta > 0 && Double.isFinite(ropeTheta),
        "ropeTheta",
        ropeTheta,
        "must be finite and > 0");
    requireToken("eosTokenId", eosTokenId, vocabSize);
    requireToken("padTokenId", padTokenId, vocabSize);
  }

  /** Query heads that share one key and value head. */
  public int queryHeadsPerGroup() {
    return attentionHeads / keyValueHeads;
  }

  private static void requirePositive(String name, int value) {
    require(value >= 1, name, value, "must be >= 1");
  }

  private static void requireToken(String name, int value, int vocabSize) {
    require(
        value >= 0 && value < vocabSize,
        name,
        value,
        "must be in [0, vocabSize " + vocabSize + ")");
  }

  private static void require(boolean holds, String name, Object value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException(name + ": " + value + " " + rule);
    }
  }
}
