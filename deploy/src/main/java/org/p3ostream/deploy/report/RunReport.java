package org.p3ostream.deploy.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a report tells.
 *
 * @param title heading of the page
 * @param lede a sentence below it
 * @param warning why the run is not whole; null if it is
 * @param figures the few numbers that are looked at first
 * @param facts everything else that identifies the run
 * @param steps its steps
 */
public record RunReport(
    String title,
    String lede,
    @Nullable String warning,
    List<Fact> figures,
    List<Fact> facts,
    StepSeries steps) {
  public RunReport {
    figures = List.copyOf(figures);
    facts = List.copyOf(facts);
  }
}
