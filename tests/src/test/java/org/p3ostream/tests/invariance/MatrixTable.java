package org.p3ostream.tests.invariance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The comparisons as files: every one as CSV, and a summary as Markdown. */
final class MatrixTable {

  private MatrixTable() {}

  static void write(Path directory, List<Comparison> comparisons) throws IOException {
    Files.createDirectories(directory);
    Files.write(directory.resolve("invariance-matrix.csv"), csv(comparisons));
    Files.writeString(directory.resolve("invariance-matrix.md"), markdown(comparisons));
  }

  private static List<String> csv(List<Comparison> comparisons) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "dtype,window,replicas,context_shards,micro_batch_tokens,partitions,quantity,"
            + "reference,found,error,tolerance,fails");
    for (Comparison c : comparisons) {
      Comparison.Cell cell = c.cell();
      lines.add(
          String.format(
              Locale.ROOT,
              "%s,%s,%d,%d,%d,%d,%s,%.17g,%.17g,%.3e,%.0e,%s",
              cell.dtype(),
              cell.window(),
              cell.replicas(),
              cell.contextShards(),
              cell.microBatchTokens(),
              cell.partitions(),
              c.quantity(),
              c.reference(),
              c.found(),
              c.error(),
              c.tolerance(),
              c.fails()));
    }
    return lines;
  }

  private static String markdown(List<Comparison> comparisons) {
    Map<String, List<Comparison>> rows = new LinkedHashMap<>();
    for (Comparison c : comparisons) {
      String key = c.cell().dtype() + " | " + c.cell().window() + " | " + c.quantity();
      rows.computeIfAbsent(key, k -> new ArrayList<>()).add(c);
    }
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%d comparisons, %d failures. Replicas %s, context shards %s, micro-batch tokens %s,"
                + " Kafka partitions %s; each against one replica, one shard, one micro-batch.%n%n",
            comparisons.size(),
            comparisons.stream().filter(Comparison::fails).count(),
            InvarianceMatrix.REPLICAS,
            InvarianceMatrix.CONTEXT_SHARDS,
            InvarianceMatrix.MICRO_BATCH_TOKENS,
            InvarianceMatrix.PARTITIONS));
    text.append(
            "| dtype | window | quantity | reference | comparisons | failures | largest error"
                + " | tolerance |\n")
        .append("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |\n");
    rows.forEach(
        (key, row) ->
            text.append(
                String.format(
                    Locale.ROOT,
                    "| %s | %.6g | %d | %d | %.1e | %.0e |%n",
                    key,
                    row.get(0).reference(),
                    row.size(),
                    row.stream().filter(Comparison::fails).count(),
                    row.stream().mapToDouble(Comparison::error).max().orElseThrow(),
                    row.get(0).tolerance())));
    return text.toString();
  }
}
