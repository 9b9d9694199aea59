package org.p3ostream.deploy.log;

import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.log.RecordSearch.Found;
import org.p3ostream.schemas.avro.RolloutGroup;

/** Finds rollout groups in the log and joins them with prompts and ledger. */
public final class RolloutLog {

  private final TopicReader rollouts;
  private final RolloutJoin join;
  private final Unreadable unreadable;

  /**
   * @param rollouts reads the groups
   * @param prompts reads their prompts; null if there is no such topic
   * @param steps reads the ledger; null if there is no such topic
   * @param unreadable told about records that are no groups
   */
  public RolloutLog(
      TopicReader rollouts,
      @Nullable TopicReader prompts,
      @Nullable TopicReader steps,
      Unreadable unreadable) {
    this.rollouts = rollouts;
    this.join = new RolloutJoin(prompts, steps);
    this.unreadable = unreadable;
  }

  /**
   * Shows what is committed at the time of the call and asked for, in the order of time.
   *
   * @return how many groups
   */
  public int show(RolloutQuery query, RolloutSink sink) {
    return show(query, rollouts.everything(), sink);
  }

  /**
   * Shows what is asked for and then every further group that matches, as it is committed. What the
   * ledger will say about those is not waited for.
   *
   * @param stopped whether to end; asked several times a second
   */
  public void follow(RolloutQuery query, RolloutSink sink, BooleanSupplier stopped) {
    try {
      Map<TopicPartition, Span> before = rollouts.everything();
      show(query, before, sink);
      rollouts.follow(before);
      RecordSearch<RolloutGroup> search = search(query);
      while (!stopped.getAsBoolean()) {
        show(search.poll(), sink, false);
      }
    } catch (WakeupException e) {
      if (!stopped.getAsBoolean()) {
        throw e;
      }
    }
  }

  /** Lets {@link #follow} see at once that it is stopped. Safe from any thread. */
  public void wakeup() {
    rollouts.wakeup();
  }

  private int show(RolloutQuery query, Map<TopicPartition, Span> spans, RolloutSink sink) {
    return search(query)
        .search(spans, query.limit(), query.newest(), found -> show(found, sink, true));
  }

  private void show(List<Found<RolloutGroup>> found, RolloutSink sink, boolean askLedger) {
    List<RolloutView> bare =
        found.stream()
            .map(f -> new RolloutView(f.entry(), f.record(), null, new Fate.Unasked()))
            .toList();
    join.views(bare, askLedger).forEach(sink::show);
  }

  private RecordSearch<RolloutGroup> search(RolloutQuery query) {
    return new RecordSearch<>(rollouts, RolloutGroup.class, query::matches, unreadable);
  }
}
