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
    int padTokenId) {}
