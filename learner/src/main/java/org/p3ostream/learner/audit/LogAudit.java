package org.p3ostream.learner.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.ForkOrigin;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * Audits the topics of a run. Takes the records of each partition in their order, the partitions in
 * any interleaving; the closer to the order of time, the less has to be remembered.
 *
 * <p>Nothing is believed twice: what the ledger names must lie where it says and be what it says,
 * and what lies in the topics must be named by the ledger, unless it came later. The last event is
 * the one that no hash vouches for yet.
 */
public final class LogAudit {

  /** Beyond this a number of groups per window is damage. */
  private static final long MOST_GROUPS = 1 << 20;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final AuditScope scope;
  private final Problems problems = new Problems();
  private final ChainAudit chain;
  private final GroupAudit groups;
  private final TrimAudit trims;
  private final RolloutAudit rollouts;
  private final PromptAudit prompts;
  private final SnapshotAudit snapshots;
  private boolean originFound;
  private long groupsPerWindow;

  public LogAudit(AuditScope scope) {
    this.scope = scope;
    chain = new ChainAudit(scope, problems);
    groups = new GroupAudit(scope, problems);
    trims = new TrimAudit(scope, problems);
    rollouts = new RolloutAudit(scope, problems, trims);
    prompts = new PromptAudit(scope, problems, trims);
    snapshots = new SnapshotAudit(scope, problems, trims);
  }

  /** Takes the next record of a partition. */
  public void accept(AuditedRecord record) {
    TopicCatalogue topics = scope.topics();
    String topic = record.topic();
    if (topic.equals(topics.steps().name())) {
      step(record);
    } else if (topic.equals(scope.rolloutsTopic())) {
      rollouts.record(record);
    } else if (topic.equals(topics.prompts().name())) {
      prompt(record);
    } else if (topic.equals(topics.deadLetters().name())) {
      deadLetter(record);
    } else if (topic.equals(topics.snapshots().name())) {
      snapshots.record(record);
    } else if (topic.equals(scope.originStepsTopic())) {
      originStep(record);
    } else {
      throw new IllegalArgumentException(topic + " is not a topic of this audit");
    }
  }

  /**
   * Takes note of records that the broker keeps and cannot give back whole.
   *
   * @param firstOffset first offset that cannot be read
   * @param endOffset first offset after it that can
   * @param cause in words
   */
  public void damaged(String topic, int partition, long firstOffset, long endOffset, String cause) {
    problems.add(
        ProblemKind.DAMAGED,
        AuditedRecord.coordinate(topic, partition, firstOffset),
        "cannot be read, up to offset %d: %s",
        endOffset - 1,
        cause);
    if (topic.equals(scope.topics().steps().name())) {
      chain.damaged();
    }
  }

  private void step(AuditedRecord record) {
    StepEvent event = record.as(StepEvent.class);
    if (event == null) {
      chain.unreadable(record);
      return;
    }
    String where = record.coordinate();
    chain.event(where, event, record.hash());
    if (event.getKind() == StepKind.GENESIS && chain.events() == 1) {
      readGroupsPerWindow(where, event);
    }
    groups.versionsBack(definition(event).at("/dispatch/versionsBack").asLong(0));
    trims.event(event);
    groups.dispatch(where, event);
    prompts.dispatch(where, event);
    for (WindowEntry entry : event.getWindow()) {
      settle(where, event, entry);
    }
    event.getSkipped().forEach(skip -> rollouts.skipped(where, record.recordOffset(), event, skip));
    groups.giveUp(where, event);
    if (ChainAudit.settles(event)) {
      groups.close(where, event.getStep());
    }
    rollouts.progress(where, event);
    snapshots.event(where, event);
  }

  private void settle(String where, StepEvent event, WindowEntry entry) {
    boolean newGroup = groups.settle(where, event, entry, event.getKind() == StepKind.STEP);
    boolean newRecord = rollouts.inWindow(where, event, entry);
    if (!newGroup || !newRecord) {
      problems.add(
          ProblemKind.TRAINED_TWICE,
          where,
          "%s is in a window again: group %d attempt %d at %s",
          newGroup ? "the record" : newRecord ? "the group" : "group and record",
          entry.getGroupId(),
          entry.getAttempt(),
          AuditedRecord.coordinate(
              scope.rolloutsTopic(), entry.getPartition(), entry.getRecordOffset()));
    }
  }

  private void readGroupsPerWindow(String where, StepEvent genesis) {
    groupsPerWindow = definition(genesis).at("/dispatch/groupsPerWindow").asLong(0);
    if (groupsPerWindow < 1 || groupsPerWindow > MOST_GROUPS) {
      groupsPerWindow = 0;
      problems.add(
          ProblemKind.GENESIS,
          where,
          "its definition does not say dispatch.groupsPerWindow: %s",
          genesis.getConfiguration());
    }
    groups.groupsPerWindow(groupsPerWindow);
    prompts.groupsPerWindow(groupsPerWindow);
  }

  /** The definition that an event puts in force; missing if it puts none, or nothing readable. */
  private static JsonNode definition(StepEvent event) {
    String definition = event.getConfiguration();
    try {
      return definition == null ? MissingNode.getInstance() : JSON.readTree(definition);
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance();
    }
  }

  private void prompt(AuditedRecord record) {
    PromptTask task = record.as(PromptTask.class);
    if (task == null) {
      unreadable(record, "prompt");
    } else {
      prompts.prompt(record, task);
    }
  }

  private void deadLetter(AuditedRecord record) {
    DeadLetter letter = record.as(DeadLetter.class);
    if (letter == null) {
      unreadable(record, "dead letter");
    } else {
      rollouts.letter(record, letter);
    }
  }

  private void unreadable(AuditedRecord record, String expected) {
    problems.add(
        ProblemKind.UNREADABLE, record.coordinate(), "no %s: %s", expected, record.description());
  }

  private void originStep(AuditedRecord record) {
    ForkOrigin fork = scope.fork();
    StepEvent event = record.as(StepEvent.class);
    if (fork == null || event == null) {
      return;
    }
    trims.event(event);
    originFound |= event.getStep() == fork.getStep() && record.hash().equals(fork.getEventHash());
  }

  /** What it came to. Everything that is to be audited has been handed in. */
  public AuditReport finish() {
    String ledger = scope.topics().steps().name();
    scope
        .missingTopics()
        .forEach(topic -> problems.add(ProblemKind.TOPIC_MISSING, topic, "there is no such topic"));
    if (chain.events() == 0) {
      problems.add(
          ProblemKind.NO_LEDGER,
          ledger,
          "holds no event: no run with run.topicPrefix=%s has begun",
          scope.topicPrefix());
    }
    requireOrigin(ledger);
    trims.finish();
    AuditReport.Groups counts = groups.finish(ledger, chain.nextWindow());
    rollouts.finish(ledger);
    prompts.finish(ledger);
    snapshots.finish();
    return new AuditReport(
        scope.runId(),
        scope.topicPrefix(),
        chain.events(),
        chain.settled(),
        chain.nextWindow(),
        chain.policyVersion(),
        chain.weightsSha256(),
        counts,
        new AuditReport.Records(
            rollouts.records(),
            rollouts.skipped(),
            rollouts.waiting(),
            rollouts.trimmed() + prompts.trimmed() + snapshots.trimmed(),
            prompts.prompts(),
            rollouts.letters(),
            snapshots.good()),
        problems.counts(),
        problems.kept());
  }

  private void requireOrigin(String ledger) {
    ForkOrigin fork = scope.fork();
    if (fork != null && !originFound) {
      problems.add(
          ProblemKind.FORK_ORIGIN,
          ledger,
          "forked after step %d of run '%s', whose event %s is not in %s",
          fork.getStep(),
          fork.getRunId(),
          fork.getEventHash(),
          scope.originStepsTopic());
    }
  }
}
