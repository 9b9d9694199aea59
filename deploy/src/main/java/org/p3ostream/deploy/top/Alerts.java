package org.p3ostream.deploy.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.p3ostream.deploy.log.TerminalText;

/**
 * What somebody should look at. The bounds are those of the Prometheus rules in {@code
 * deploy/prometheus}.
 */
final class Alerts {

  /** Below this a third of the tokens carry the weight. */
  static final double LOW_ESS = 0.3;

  /** Of a producer, while others or the learner go on. */
  static final double SILENT_SECONDS = 60;

  /** Of the learner, if its steps were quicker. */
  static final double STALLED_SECONDS = 120;

  private static final int STEPS_OF_ESS = 5;

  private Alerts() {}

  /** One line each; empty if all is well. */
  static List<String> of(RunSnapshot run) {
    List<String> alerts = new ArrayList<>();
    StepWindow steps = new StepWindow(run.steps());
    double ess = steps.mean("normalizedEss", STEPS_OF_ESS);
    if (ess < LOW_ESS) {
      alerts.add(number("ESS collapsed: %.2f over the last %d steps", ess, STEPS_OF_ESS));
    }
    double sinceStep = steps.secondsSinceLast(run.atMillis());
    boolean over = isOver(run);
    if (!over && sinceStep > STALLED_SECONDS && sinceStep > 20 * steps.stepSeconds()) {
      alerts.add(number("learner stalled: no step for %.0f s", sinceStep));
    }
    for (JsonNode producer : over ? List.<JsonNode>of() : run.producers().path("producers")) {
      if (producer.path("silentSeconds").asDouble() > SILENT_SECONDS) {
        alerts.add(
            number(
                "producer %s silent for %.0f s",
                TerminalText.inline(producer.path("producerId").asText()),
                producer.path("silentSeconds").asDouble()));
      }
    }
    for (String part : run.notReady()) {
      alerts.add("not ready: " + TerminalText.inline(part));
    }
    return alerts;
  }

  /** Whether the server says that the run has ended. */
  static boolean isOver(RunSnapshot run) {
    String state = state(run);
    return state.equals("ended") || state.equals("done") || state.equals("finished");
  }

  /** State of the run in lower case, if the server tells; else empty. */
  static String state(RunSnapshot run) {
    JsonNode first = run.run().path("runs").path(0);
    return first.path("state").asText("").toLowerCase(Locale.ROOT);
  }

  private static String number(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
