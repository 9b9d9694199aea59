package org.p3ostream.learner.task;

/**
 * A prompt and the answer it is rewarded for.
 *
 * @param prompt prompt text
 * @param answer reference answer
 */
public record PromptExample(String prompt, String answer) {}
