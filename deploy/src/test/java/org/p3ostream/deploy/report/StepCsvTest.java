package org.p3ostream.deploy.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.p3ostream.deploy.progress.LedgerFixtures;

class StepCsvTest {

  @Test
  void writeGivesOneRowPerStepUnderAHeaderOfDistinctNames() throws Exception {
    List<String[]> rows = rows(Series.ofSteps(3));

    assertThat(rows).hasSize(4).allMatch(row -> row.length == StepColumn.values().length);
    assertThat(rows.get(0)).doesNotHaveDuplicates().startsWith("step", "kind", "policyVersion");
    assertThat(cell(rows.get(3), StepColumn.STEP)).isEqualTo("2");
    assertThat(cell(rows.get(3), StepColumn.STEP_MILLIS)).isEqualTo("200");
    assertThat(cell(rows.get(3), StepColumn.TOKENS_PER_SECOND)).isEqualTo("2880.0");
    assertThat(cell(rows.get(3), StepColumn.WEIGHTS_SHA256)).isEqualTo("sha-3");
  }

  @Test
  void valuesReadBackExactly() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    double[] rewards =
        random.doubles(200).map(x -> x * Math.pow(10, random.nextInt(-200, 200))).toArray();

    List<String[]> rows =
        rows(Series.ofSteps(200, (step, metrics) -> metrics.setRewardMean(rewards[step])));

    double[] read =
        rows.stream()
            .skip(1)
            .mapToDouble(row -> Double.parseDouble(cell(row, StepColumn.REWARD_MEAN)))
            .toArray();
    assertThat(read).as("seed " + seed).isEqualTo(rewards);
  }

  @Test
  void valuesThatAreNotFiniteStandByName() throws Exception {
    List<String[]> rows =
        rows(
            Series.ofSteps(
                1,
                (step, metrics) -> {
                  metrics.setGradNorm(Double.NaN);
                  metrics.setLoss(Double.NEGATIVE_INFINITY);
                }));

    assertThat(cell(rows.get(1), StepColumn.GRAD_NORM)).isEqualTo("NaN");
    assertThat(cell(rows.get(1), StepColumn.LOSS)).isEqualTo("-Infinity");
  }

  @Test
  void valuesThatAreNotKnownAreEmpty() throws Exception {
    StepSeries series = new StepSeries();
    series.add(LedgerFixtures.noOp(4, 4, 1_000));

    String[] row = rows(series).get(1);

    assertThat(cell(row, StepColumn.KIND)).isEqualTo("NO_OP");
    assertThat(cell(row, StepColumn.STEP_MILLIS)).isEmpty();
    assertThat(cell(row, StepColumn.REWARD_MEAN)).isEmpty();
    assertThat(cell(row, StepColumn.UPDATE)).isEqualTo("3.0");
  }

  @Test
  void figuresThatNotEveryRunHasAreEmptyWithoutThem() throws Exception {
    List<String[]> rows =
        rows(
            Series.ofSteps(
                2,
                (step, metrics) -> {
                  if (step == 1) {
                    metrics.setBehaviorKlExactMean(0.03).setKeptSetMismatches(2L);
                    metrics.setEntropyMean(1.5).setReferenceKlMean(0.04);
                  }
                }));

    List<StepColumn> columns =
        List.of(
            StepColumn.KL_EXACT_MEAN,
            StepColumn.KEPT_SET_MISMATCHES,
            StepColumn.ENTROPY_MEAN,
            StepColumn.REFERENCE_KL_MEAN);
    assertThat(columns).extracting(column -> cell(rows.get(1), column)).containsOnly("");
    assertThat(columns)
        .extracting(column -> cell(rows.get(2), column))
        .containsExactly("0.03", "2", "1.5", "0.04");
  }

  @Test
  void aRunWithoutAStepIsAHeader() throws Exception {
    assertThat(rows(Series.ofSteps(0))).hasSize(1);
  }

  @Test
  void aLongRunIsThereInFull() throws Exception {
    assertThat(rows(Series.ofSteps(10_000))).hasSize(10_001);
  }

  @Test
  void everyColumnSaysWhatItHolds() {
    assertThat(Stream.of(StepColumn.values()).map(StepColumn::meaning))
        .doesNotHaveDuplicates()
        .allMatch(meaning -> meaning.length() > 5);
  }

  private static List<String[]> rows(StepSeries series) throws IOException {
    StringBuilder csv = new StringBuilder();
    StepCsv.write(series, csv);
    return Arrays.stream(csv.toString().split("\n")).map(line -> line.split(",", -1)).toList();
  }

  private static String cell(String[] row, StepColumn column) {
    return row[List.of(StepColumn.values()).indexOf(column)];
  }
}
