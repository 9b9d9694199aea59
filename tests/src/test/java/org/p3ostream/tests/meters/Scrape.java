package org.p3ostream.tests.meters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.hawkular.agent.prometheus.text.TextPrometheusMetricsProcessor;
import org.hawkular.agent.prometheus.types.MetricFamily;
import org.hawkular.agent.prometheus.types.MetricType;
import org.hawkular.agent.prometheus.walkers.CollectorPrometheusMetricsWalker;

/**
 * What a process serves, read by a parser that has nothing to do with what wrote it.
 *
 * @param text as it was served
 * @param families as the parser understood it
 */
record Scrape(String text, List<MetricFamily> families) {

  Scrape {
    families = List.copyOf(families);
  }

  /** Of the process that a file of the targets directory names. */
  static Scrape of(Path target) throws IOException, InterruptedException {
    JsonNode group = new ObjectMapper().readTree(target.toFile()).get(0);
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create("http://" + group.at("/targets/0").asText() + "/metrics"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException(target + ": status " + answer.statusCode());
    }
    return parse(answer.body());
  }

  static Scrape parse(String text) {
    CollectorPrometheusMetricsWalker walker = new CollectorPrometheusMetricsWalker();
    new TextPrometheusMetricsProcessor(
            new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), walker)
        .walk();
    return new Scrape(text, walker.getAllMetricFamilies());
  }

  /** Names of the families, without the endings that a summary's samples have. */
  Set<String> familyNames() {
    return families.stream()
        .map(MetricFamily::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Every name that a query can ask for. */
  Set<String> sampleNames() {
    Set<String> names = new TreeSet<>();
    for (MetricFamily family : families) {
      names.add(family.getName());
      if (family.getType() == MetricType.SUMMARY || family.getType() == MetricType.HISTOGRAM) {
        names.add(family.getName() + "_sum");
        names.add(family.getName() + "_count");
      }
    }
    return names;
  }

  /** Lines that hold a sample; each must have been understood. */
  List<String> sampleLines() {
    List<String> lines = new ArrayList<>();
    text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).forEach(lines::add);
    return lines;
  }

  /** Samples that the parser understood: of a summary its quantiles, sum and count. */
  long samplesUnderstood() {
    return families.stream()
        .flatMap(family -> family.getMetrics().stream())
        .mapToLong(
            metric ->
                metric instanceof org.hawkular.agent.prometheus.types.Summary summary
                    ? summary.getQuantiles().size() + 2L
                    : 1L)
        .sum();
  }
}
