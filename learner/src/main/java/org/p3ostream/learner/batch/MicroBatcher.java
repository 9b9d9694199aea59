package org.p3ostream.learner.batch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.p3ostream.learner.window.TrainingGroup;
import org.p3ostream.learner.window.TrainingResponse;
import org.p3ostream.learner.window.Window;

/**
 * Cuts a window into micro-batches of at most a number of tokens, padding included, in group and
 * response order. A response longer than the budget gets a micro-batch of its own.
 */
public final class MicroBatcher {

  private record Row(TrainingGroup group, TrainingResponse response, double advantage) {
    /** Columns it needs: prompt and response without the last token. */
    int columns() {
      return group.promptTokens().length + response.length() - 1;
    }
  }

  private final int tokenBudget;
  private final int padTokenId;

  /**
   * @param tokenBudget B·T of a micro-batch at most, padding included
   * @param padTokenId token that rows are filled up with
   */
  public MicroBatcher(int tokenBudget, int padTokenId) {
    this.tokenBudget = tokenBudget;
    this.padTokenId = padTokenId;
  }

  /** The micro-batches of a window, in its order; none for a window without a response. */
  public List<MicroBatch> cut(Window window) {
    List<MicroBatch> batches = new ArrayList<>();
    List<Row> rows = new ArrayList<>();
    int columns = 0;
    for (Row row : rows(window)) {
      int widened = Math.max(columns, row.columns());
      if (!rows.isEmpty() && (long) widened * (rows.size() + 1) > tokenBudget) {
        batches.add(batch(rows, columns));
        rows.clear();
        widened = row.columns();
      }
      rows.add(row);
      columns = widened;
    }
    if (!rows.isEmpty()) {
      batches.add(batch(rows, columns));
    }
    return batches;
  }

  private static List<Row> rows(Window window) {
    List<Row> rows = new ArrayList<>();
    for (TrainingGroup group : window.groups()) {
      double[] advantages = group.advantages(); // [G']
      for (int i = 0; i < advantages.length; i++) {
        rows.add(new Row(group, group.responses().get(i), advantages[i]));
      }
    }
    return rows;
  }

  private MicroBatch batch(List<Row> rows, int columns) {
    long[] ids = new long[rows.size() * columns]; // [B·T]
    Arrays.fill(ids, padTokenId);
    int capacity = rows.stream().mapToInt(row -> row.response().length()).sum();
    long[] positions = new long[capacity];
    long[] targets = new long[capacity];
    int[] sequences = new int[capacity];
    double[] behaviorLogprobs = new double[capacity];
    double[] advantages = new double[capacity];
    long[] versions = new long[capacity];
    int n = 0;
    for (int b = 0; b < rows.size(); b++) {
      Row row = rows.get(b);
      int[] prompt = row.group().promptTokens();
      TrainingResponse response = row.response();
      int start = b * columns;
      for (int p = 0; p < prompt.length; p++) {
        ids[start + p] = prompt[p];
      }
      for (int t = 0; t < response.length(); t++) {
        if (t < response.length() - 1) {
          ids[start + prompt.length + t] = response.token(t);
        }
        if (response.isValid(t)) {
          positions[n] = (long) start + prompt.length + t - 1;
          targets[n] = response.token(t);
          sequences[n] = b;
          behaviorLogprobs[n] = response.behaviorLogprob(t);
          advantages[n] = row.advantage();
          versions[n] = response.policyVersion(t);
          n++;
        }
      }
    }
    return new MicroBatch(
        rows.size(),
        columns,
        rows.stream().map(Row::response).toList(),
        rows.stream().map(row -> row.group().producerId()).toList(),
        ids,
        Arrays.copyOf(positions, n),
        Arrays.copyOf(targets, n),
        Arrays.copyOf(sequences, n),
        Arrays.copyOf(behaviorLogprobs, n),
        Arrays.copyOf(advantages, n),
        Arrays.copyOf(versions, n));
  }
}
