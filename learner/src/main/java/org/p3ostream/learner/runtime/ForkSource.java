package org.p3ostream.learner.runtime;

import java.nio.file.Path;

/**
 * The run that a fork leaves, and where.
 *
 * @param runId its id
 * @param topicPrefix of its topics
 * @param checkpointDirectory where its checkpoints are; need not exist
 * @param step last step that both share; −1 for none
 */
public record ForkSource(String runId, String topicPrefix, Path checkpointDirectory, long step) {}
