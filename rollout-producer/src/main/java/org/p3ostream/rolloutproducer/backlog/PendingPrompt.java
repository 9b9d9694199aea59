package org.p3ostream.rolloutproducer.backlog;

import org.p3ostream.schemas.avro.PromptTask;

/**
 * A prompt that is to be sampled.
 *
 * @param position where it lies
 * @param task what it asks for
 * @param earlierStarts how often producers started it before and never finished
 */
public record PendingPrompt(PromptPosition position, PromptTask task, int earlierStarts) {}
