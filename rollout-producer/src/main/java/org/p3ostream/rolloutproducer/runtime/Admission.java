package org.p3ostream.rolloutproducer.runtime;

import java.time.Clock;
import java.util.Optional;
import org.p3ostream.rolloutproducer.backlog.PendingPrompt;
import org.p3ostream.rolloutproducer.generation.GroupAssembler;
import org.p3ostream.rolloutproducer.generation.TaskRules;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells prompts that no weights can help from those that are worth sampling. */
final class Admission {
  private static final Logger log = LoggerFactory.getLogger(Admission.class);
  private static final int[] NO_TOKENS = {};

  private final GroupAssembler assembler;
  private final int maxStarts;
  private final Clock clock;

  Admission(GroupAssembler assembler, int maxStarts, Clock clock) {
    this.assembler = assembler;
    this.maxStarts = maxStarts;
    this.clock = clock;
  }

  boolean refuses(PendingPrompt prompt) {
    return cause(prompt).isPresent();
  }

  /** The failed group of a prompt that is refused. */
  Optional<RolloutGroup> refusal(PendingPrompt prompt) {
    Optional<String> cause = cause(prompt);
    cause.ifPresent(
        c ->
            log.warn(
                "Gave up group {} at {}: {}", prompt.task().getGroupId(), prompt.position(), c));
    return cause.map(c -> assembler.failed(prompt.task(), NO_TOKENS, c, clock.instant()));
  }

  private Optional<String> cause(PendingPrompt prompt) {
    return prompt.earlierStarts() >= maxStarts
        ? Optional.of(
            "sampling was started " + prompt.earlierStarts() + " times and never finished")
        : TaskRules.violation(prompt.task());
  }
}
