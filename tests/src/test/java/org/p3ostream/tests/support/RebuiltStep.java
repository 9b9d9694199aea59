package org.p3ostream.tests.support;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.snapshot.SnapshotAssembler;

/**
 * A step computed a second time from the log alone: rollouts, and the weights of every version out
 * of their snapshots. Shares the decoder's kernels with the learner and nothing else: softmax, kept
 * tokens, KL and ESS are plain Java in float64, after the paper.
 */
public final class RebuiltStep {

  /** ESS and mean KL(π_θ ‖ π_b) of a step. */
  public record Figures(double ess, double klMean, double klMax, int tokens) {}

  private RebuiltStep() {}

  /** Weights by version, as the snapshots topic holds them. */
  public static Map<Long, float[]> weights(TestRun run) {
    Map<Long, float[]> versions = new TreeMap<>();
    SnapshotAssembler assembler = new SnapshotAssembler();
    try (RecordCodec codec = run.codec()) {
      for (ConsumerRecord<byte[], byte[]> record : run.records(run.topics().snapshots())) {
        Object value = ((Decoded.Accepted) codec.decode(record.topic(), record.value())).record();
        if (value instanceof SnapshotChunk chunk) {
          assembler.add(chunk);
        } else if (value instanceof SnapshotManifest manifest
            && assembler.close(manifest) instanceof SnapshotAssembler.Complete complete) {
          versions.put(manifest.getVersion(), complete.weights());
        }
      }
    }
    return versions;
  }

  /** The groups of a step, in the order of its window. */
  public static List<RolloutGroup> window(TestRun run, StepEvent step) {
    Map<String, RolloutGroup> found = new TreeMap<>();
    try (RecordCodec codec = run.codec()) {
      for (ConsumerRecord<byte[], byte[]> record : run.records(run.topics().rollouts())) {
        if (codec.decode(record.topic(), record.value()) instanceof Decoded.Accepted accepted
            && accepted.record() instanceof RolloutGroup group) {
          found.put(record.partition() + "@" + record.offset(), group);
        }
      }
    }
    List<RolloutGroup> groups = new ArrayList<>();
    for (WindowEntry entry : step.getWindow()) {
      groups.add(found.get(entry.getPartition() + "@" + entry.getRecordOffset()));
    }
    return groups;
  }

  /**
   * Figures of a step.
   *
   * @param rowsPerPass responses that go through the decoder side by side: float32 kernels round by
   *     the shape of what they are given
   * @param policyAtSamplingTemperature else π_θ is taken at temperature 1
   */
  public static Figures of(
      StepEvent step,
      List<RolloutGroup> window,
      Map<Long, float[]> versions,
      int rowsPerPass,
      boolean policyAtSamplingTemperature) {
    TorchRuntime.prepareThread();
    List<Row> rows = new ArrayList<>();
    for (RolloutGroup group : window) {
      group.getResponses().forEach(response -> rows.add(new Row(group, response)));
    }
    List<Double> logRatios = new ArrayList<>();
    List<Double> kls = new ArrayList<>();
    try (CausalLm model = new CausalLm(NanoModel.config(), Device.cpu(), DataType.FLOAT32)) {
      for (int from = 0; from < rows.size(); from += rowsPerPass) {
        List<Row> pass = rows.subList(from, Math.min(rows.size(), from + rowsPerPass));
        double[][][] policy =
            logits(model, versions.get(step.getPolicyVersionBefore()), pass); // [B][T][V]
        Map<String, double[][][]> behavior = new TreeMap<>(); // by version and precision
        for (int b = 0; b < pass.size(); b++) {
          Row row = pass.get(b);
          for (int t = 0; t < row.response.getTokens().size(); t++) {
            long version = row.version(t);
            Sampling sampling = row.response.getSampling();
            String precision = sampling.getWeightPrecision();
            double[] behaviorLogits =
                behavior
                    .computeIfAbsent(
                        version + " " + precision,
                        by ->
                            logits(model, rounded(model, versions.get(version), precision), pass))[
                    b][row.position(t)];
            int token = row.response.getTokens().get(t);
            boolean raw = sampling.getLogprobKind() == LogprobKind.RAW_MODEL;
            boolean[] kept = kept(behaviorLogits, sampling);
            kept[token] = true;
            double temperature = policyAtSamplingTemperature ? sampling.getTemperature() : 1;
            double[] logPolicy = logSoftmax(policy[b][row.position(t)], temperature, kept);
            double[] logBehavior = logSoftmax(behaviorLogits, sampling.getTemperature(), kept);
            double[] logRatioPolicy = // raw log-probs are of the whole vocabulary, the KL is not
                raw
                    ? logSoftmax(policy[b][row.position(t)], temperature, allKept(behaviorLogits))
                    : logPolicy;
            logRatios.add(
                logRatioPolicy[token] - (double) row.response.getBehaviorLogprobs().get(t));
            double kl = 0;
            for (int v = 0; v < kept.length; v++) {
              kl += kept[v] ? Math.exp(logPolicy[v]) * (logPolicy[v] - logBehavior[v]) : 0;
            }
            kls.add(kl);
          }
        }
      }
    }
    double first = 0; // Σρ
    double second = 0; // Σρ²
    for (double logRatio : logRatios) {
      first += Math.exp(logRatio);
      second += Math.exp(2 * logRatio);
    }
    double ess = first * first / (logRatios.size() * (second + 1e-8));
    return new Figures(
        Math.min(1, ess),
        kls.stream().mapToDouble(Double::doubleValue).average().orElseThrow(),
        kls.stream().mapToDouble(Double::doubleValue).max().orElseThrow(),
        kls.size());
  }

  private static float[] rounded(CausalLm model, float[] weights, String precision) {
    return WeightPrecision.of(precision).orElseThrow().round(model.layout(), weights);
  }

  private record Row(RolloutGroup group, Response response) {

    /** Column of the hidden state that predicts token t. */
    int position(int t) {
      return group.getPromptTokens().size() + t - 1;
    }

    int length() {
      return group.getPromptTokens().size() + response.getTokens().size() - 1;
    }

    long id(int column) {
      int prompt = group.getPromptTokens().size();
      return column < prompt
          ? group.getPromptTokens().get(column)
          : response.getTokens().get(column - prompt);
    }

    long version(int t) {
      long version = response.getPolicyVersion();
      for (var segment : response.getVersionSegments()) {
        version = segment.getFromToken() <= t ? segment.getPolicyVersion() : version;
      }
      return version;
    }
  }

  /** Logits of the columns that predict a response token, [B][T][V]; the others are left out. */
  private static double[][][] logits(CausalLm model, float[] weights, List<Row> rows) {
    int columns = rows.stream().mapToInt(Row::length).max().orElseThrow();
    long[] ids = new long[rows.size() * columns];
    Arrays.fill(ids, model.config().padTokenId());
    List<Long> positions = new ArrayList<>();
    for (int b = 0; b < rows.size(); b++) {
      for (int column = 0; column < rows.get(b).length(); column++) {
        ids[b * columns + column] = rows.get(b).id(column);
      }
      for (int t = 0; t < rows.get(b).response.getTokens().size(); t++) {
        positions.add((long) b * columns + rows.get(b).position(t));
      }
    }
    double[][][] logits = new double[rows.size()][columns][];
    NDManager manager = model.manager();
    try (NDScope scope = new NDScope();
        NDArray parameters = model.parameters(weights)) {
      scope.suppressNotUsedWarning();
      long[] flat = positions.stream().mapToLong(Long::longValue).toArray();
      float[] values =
          model
              .tokenLogits(
                  parameters,
                  manager.create(ids, new Shape(rows.size(), columns)),
                  manager.create(flat))
              .toFloatArray(); // [N, V]
      int width = model.config().vocabSize();
      for (int n = 0; n < flat.length; n++) {
        double[] row = new double[width];
        for (int v = 0; v < width; v++) {
          row[v] = values[n * width + v];
        }
        logits[(int) (flat[n] / columns)][(int) (flat[n] % columns)] = row;
      }
    }
    return logits;
  }

  /** min-p, then the k most probable, then of these the fewest that reach p. */
  private static boolean[] allKept(double[] logits) {
    boolean[] kept = new boolean[logits.length];
    Arrays.fill(kept, true);
    return kept;
  }

  private static boolean[] kept(double[] logits, Sampling sampling) {
    boolean[] all = new boolean[logits.length];
    Arrays.fill(all, true);
    double[] logprobs = logSoftmax(logits, sampling.getTemperature(), all);
    Integer[] order = new Integer[logits.length];
    Arrays.setAll(order, v -> v);
    Arrays.sort(order, (a, b) -> Double.compare(logits[b], logits[a]));
    boolean[] kept = new boolean[logits.length];
    int count = 0;
    double total = 0;
    for (Integer v : order) {
      boolean probable = Math.exp(logprobs[v] - logprobs[order[0]]) >= sampling.getMinP();
      if (probable && (sampling.getTopK() == 0 || count < sampling.getTopK())) {
        kept[v] = true;
        count++;
        total += Math.exp(logprobs[v]);
      }
    }
    double before = 0;
    for (Integer v : order) {
      double probability = kept[v] ? Math.exp(logprobs[v]) / total : 0;
      kept[v] &= sampling.getTopP() >= 1 || before < sampling.getTopP();
      before += probability;
    }
    return kept;
  }

  private static double[] logSoftmax(double[] logits, double temperature, boolean[] kept) {
    double max = Arrays.stream(logits).max().orElseThrow();
    double sum = 0;
    for (int v = 0; v < logits.length; v++) {
      sum += kept[v] ? Math.exp((logits[v] - max) / temperature) : 0;
    }
    double[] logprobs = new double[logits.length];
    for (int v = 0; v < logits.length; v++) {
      logprobs[v] = (logits[v] - max) / temperature - Math.log(sum);
    }
    return logprobs;
  }
}
