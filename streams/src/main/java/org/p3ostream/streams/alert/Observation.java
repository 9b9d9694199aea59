package org.p3ostream.streams.alert;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.live.RunState;
import org.p3ostream.streams.live.StepView;

/**
 * What is known of a run at one moment.
 *
 * @param now milliseconds since the epoch
 * @param state how the run is doing
 * @param newest the newest steps, ascending; {@link RunState#USUAL_OF} at most
 * @param startedAt when GENESIS was prepared, milliseconds since the epoch; null before it was read
 * @param stalenessBound largest staleness that the configuration allows, policy versions; null if
 *     unknown
 * @param producers what is known of each producer; null while that is not known
 * @param recentDeadLetters records passed over within {@link AlertRule#DEAD_LETTER_SPAN}, but for
 *     those that are sampled again on purpose
 */
public record Observation(
    long now,
    RunState state,
    List<StepView> newest,
    @Nullable Long startedAt,
    @Nullable Long stalenessBound,
    @Nullable List<ProducerSilence> producers,
    int recentDeadLetters) {

  /**
   * How long a producer has published nothing.
   *
   * @param silentSeconds null if it is not known
   */
  public record ProducerSilence(String producerId, @Nullable Double silentSeconds) {
    double seconds() {
      return silentSeconds == null ? 0 : silentSeconds;
    }
  }
}
