package org.p3ostream.rolloutproducer;

import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.SamplingRequest;

/** Prompt tasks of the nano task {@code csum8}, to be varied by the tests. */
public final class PromptTasks {

  public static final String RUN = "run-a";

  private PromptTasks() {}

  public static PromptTask task(long groupId) {
    return builder(groupId).build();
  }

  public static PromptTask.Builder builder(long groupId) {
    return PromptTask.newBuilder()
        .setRunId(RUN)
        .setWindowIndex(groupId / 8)
        .setSlot((int) (groupId % 8))
        .setGroupId(groupId)
        .setAttempt(0)
        .setPromptId("digits:" + groupId)
        .setPrompt("12345678=")
        .setReferenceAnswer("13605186")
        .setReward("exact-match")
        .setSamplesPerGroup(4)
        .setSampling(sampling().build())
        .setSeed(1000 + groupId)
        .setMinPolicyVersion(0);
  }

  public static SamplingRequest.Builder sampling() {
    return SamplingRequest.newBuilder()
        .setTemperature(1.0)
        .setTopK(0)
        .setTopP(1.0)
        .setMinP(0.0)
        .setRepetitionPenalty(1.0)
        .setMaxResponseTokens(6);
  }
}
