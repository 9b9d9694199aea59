package org.p3ostream.deploy.experiment.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.experiment.outcome.Measure;
import org.p3ostream.deploy.experiment.plan.Contender;
import org.p3ostream.deploy.experiment.plan.Scenario;
import org.p3ostream.deploy.experiment.statistics.PairedDifference;
import org.p3ostream.deploy.experiment.statistics.RankCorrelation;

/** Algorithms against the baseline, and the ESS against the scale of a sweep. */
public final class Comparisons {

  private static final List<Measure> COMPARED = List.of(Measure.HELD_OUT, Measure.FINAL_REWARD);

  private Comparisons() {}

  /** Differences to the baseline, seed by seed. */
  public static Table differences(Study study) {
    Contender baseline = study.baseline();
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (Measure measure : COMPARED) {
      for (Scenario scenario : study.plan().scenarios()) {
        for (Contender algorithm : study.plan().algorithms()) {
          if (!algorithm.equals(baseline)) {
            rows.add(row(study, measure, scenario, algorithm, baseline));
          }
        }
      }
    }
    return new Table(
        "differences",
        "Differences to " + baseline.title(),
        "Paired by seed: mean of the differences and its 95 % interval after Student's t, which"
            + " supposes normal differences; with n = 3 it is 4.30 standard errors to either side, so"
            + " that only large effects show, and with so many comparisons one in twenty would show by"
            + " chance. Equal differences have no interval. *In pooled std*: difference of the means"
            + " over sqrt of the mean variance.",
        List.of(
            Column.text("measure", "measure"),
            Column.text("scenario", "scenario"),
            Column.text("algorithm", "algorithm"),
            Column.text("n", "n"),
            new Column("mean", "mean", 3),
            new Column("low", "95 % from", 3),
            new Column("high", "to", 3),
            new Column("inPooledStd", "in pooled std", 2),
            Column.text("excludesZero", "leaves out 0")),
        rows);
  }

  private static List<@Nullable Object> row(
      Study study, Measure measure, Scenario scenario, Contender algorithm, Contender baseline) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    for (long seed : study.plan().seeds()) {
      Optional<Double> one = study.value(scenario, algorithm, seed, measure);
      Optional<Double> other = study.value(scenario, baseline, seed, measure);
      if (one.isPresent() && other.isPresent()) {
        x.add(one.get());
        y.add(other.get());
      }
    }
    PairedDifference difference = PairedDifference.of(array(x), array(y));
    return Arrays.asList(
        measure.id(),
        scenario.name(),
        algorithm.name(),
        difference.n(),
        difference.n() == 0 ? null : difference.mean(),
        difference.low(),
        difference.high(),
        difference.inPooledStd(),
        difference.low() == null ? null : difference.excludesZero() ? "yes" : "no");
  }

  /** Spearman's correlation of the mean ESS of a run with the level of its scenario. */
  public static Table correlations(Study study) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (Contender algorithm : study.plan().algorithms()) {
      List<Double> levels = new ArrayList<>();
      List<Double> ess = new ArrayList<>();
      for (long seed : study.plan().seeds()) {
        List<Double> levelsOfSeed = new ArrayList<>();
        List<Double> essOfSeed = new ArrayList<>();
        for (Scenario scenario : study.plan().scenarios()) {
          study
              .value(scenario, algorithm, seed, Measure.ESS_MEAN)
              .ifPresent(
                  value -> {
                    levelsOfSeed.add(Objects.requireNonNull(scenario.level()));
                    essOfSeed.add(value);
                  });
        }
        rows.add(correlation(algorithm, Long.toString(seed), levelsOfSeed, essOfSeed));
        levels.addAll(levelsOfSeed);
        ess.addAll(essOfSeed);
      }
      rows.add(correlation(algorithm, "all", levels, ess));
    }
    return new Table(
        "correlations",
        "Correlation of ESS with " + study.plan().sweep(),
        "Spearman's rank correlation of the mean ESS of a run with the level of its scenario, for"
            + " every seed and over all of them; -1: the ESS falls with every level.",
        List.of(
            Column.text("algorithm", "algorithm"),
            Column.text("seed", "seed"),
            Column.text("n", "n"),
            new Column("spearman", "Spearman", 3)),
        rows);
  }

  private static List<@Nullable Object> correlation(
      Contender algorithm, String seed, List<Double> levels, List<Double> ess) {
    return Arrays.asList(
        algorithm.name(), seed, levels.size(), RankCorrelation.of(array(levels), array(ess)));
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
