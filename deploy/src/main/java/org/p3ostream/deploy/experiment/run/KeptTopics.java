package org.p3ostream.deploy.experiment.run;

import java.util.List;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/** What stays of the topics of a run that is over. */
public enum KeptTopics {
  /** Everything: the run can be audited, replayed and forked. */
  ALL,
  /**
   * The ledger, the rollouts and the dead letters: every figure can be computed again. Snapshots,
   * which take most of the space, and prompts are deleted.
   */
  EVIDENCE,
  /** Nothing but the result file. */
  NONE;

  /** Topics to be deleted. */
  List<TopicSpec> deleted(TopicCatalogue topics) {
    return switch (this) {
      case ALL -> List.of();
      case EVIDENCE -> List.of(topics.snapshots(), topics.prompts(), topics.metrics());
      case NONE -> topics.all();
    };
  }
}
