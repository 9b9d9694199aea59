package org.p3ostream.deploy.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HtmlReportTest {

  private static final Pattern DATA =
      Pattern.compile(
          "<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "</script><script>alert(1)</script>",
        "<!-- <script>",
        "{{data}} {{uplotJs}} $1 \\",
        "a\u2028b\u2029c",
        "\"quoted\" & 'so'\n",
        "π ≥ 3 😀"
      })
  void textsArriveAsTheyAreAndEndNothing(String text) throws Exception {
    String page =
        HtmlReport.render(
            new RunReport(
                text, text, text, List.of(), List.of(new Fact(text, text)), Series.ofSteps(2)));

    assertThat(data(page).at("/facts/0/value").asText()).isEqualTo(text);
    assertThat(data(page).at("/title").asText()).isEqualTo(text);
    assertThat(rawData(page)).doesNotContain("<", ">", "&", "\u2028", "\u2029");
    assertThat(page.split("</script>", -1)).hasSize(5);
  }

  @Test
  void valuesThatAreNotFiniteAreNull() throws Exception {
    StepSeries series =
        Series.ofSteps(3, (step, metrics) -> metrics.setGradNorm(step == 1 ? Double.NaN : 1e300));

    JsonNode norms = data(page(series)).at("/columns/gradNorm");

    assertThat(norms.get(0).asDouble()).isEqualTo(1e300);
    assertThat(norms.get(1).isNull()).isTrue();
    assertThat(rawData(page(series))).doesNotContain("NaN", "Infinity");
  }

  @Test
  void numbersHaveTheDigitsThatAPlotCanShow() throws Exception {
    StepSeries series = Series.ofSteps(1, (step, metrics) -> metrics.setGradNorm(0.123456789));

    assertThat(rawData(page(series))).contains("\"gradNorm\":[0.123457]");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 150})
  void everyColumnHasOneValuePerStep(int steps) throws Exception {
    JsonNode columns = data(page(Series.ofSteps(steps))).at("/columns");

    assertThat(columns).isNotEmpty().allMatch(column -> column.size() == steps);
  }

  @Test
  void aDemoIsSmall() {
    assertThat(page(Series.ofSteps(150))).hasSizeLessThan(300_000);
  }

  @Test
  void aLongRunIsDrawnInPartAndSaysSo() throws Exception {
    String page = page(Series.ofSteps(10_000));

    assertThat(data(page).at("/steps").asInt()).isEqualTo(10_000);
    assertThat(data(page).at("/columns/step").size()).isLessThanOrEqualTo(PlotRows.MOST);
    assertThat(page).hasSizeLessThan(600_000);
  }

  @Test
  void thePageMayLoadNothing() {
    String page = page(Series.ofSteps(2));

    assertThat(page)
        .contains("default-src 'none'")
        .doesNotContainPattern("(src|href)=\"(?!data:,|steps\\.csv)")
        .doesNotContain("@import", "url(");
  }

  @Test
  void thePageCarriesTheLicenceOfWhatItContains() {
    assertThat(page(Series.ofSteps(0))).contains("uPlot (v1.", "Copyright (c) 2022 Leon Sorokin");
  }

  private static String page(StepSeries series) {
    return HtmlReport.render(new RunReport("t", "l", null, List.of(), List.of(), series));
  }

  private static JsonNode data(String page) throws Exception {
    return new ObjectMapper().readTree(rawData(page));
  }

  private static String rawData(String page) {
    Matcher data = DATA.matcher(page);
    assertThat(data.find()).isTrue();
    return data.group(1);
  }
}
