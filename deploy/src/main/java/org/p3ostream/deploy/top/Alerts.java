package org.p3ostream.deploy.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.p3ostream.deploy.log.TerminalText;

/** What somebody should look at: the rules of the server that fire, and what of it is not up. */
final class Alerts {

  private static final String FIRING = "firing";

  private Alerts() {}

  /** In one line. */
  static String line(RunSnapshot run) {
    List<String> alerts = new ArrayList<>();
    for (JsonNode alert : run.alerts().path("alerts")) {
      if (alert.path("state").asText().equalsIgnoreCase(FIRING)) {
        alerts.add(
            TerminalText.inline(alert.path("title").asText(alert.path("rule").asText()))
                + ": "
                + TerminalText.inline(alert.path("detail").asText()));
      }
    }
    for (String part : run.notReady()) {
      alerts.add("not ready: " + TerminalText.inline(part));
    }
    if (!alerts.isEmpty()) {
      return String.join("; ", alerts);
    }
    return run.alerts().isMissingNode() ? "not known yet" : "none";
  }

  /** State of the run in lower case, if the server tells; else empty. */
  static String state(RunSnapshot run) {
    JsonNode first = run.run().path("runs").path(0);
    return TerminalText.inline(first.path("state").asText("")).toLowerCase(Locale.ROOT);
  }
}
