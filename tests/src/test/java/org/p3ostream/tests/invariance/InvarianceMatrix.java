package org.p3ostream.tests.invariance;

import ai.djl.Device;
import ai.djl.ndarray.types.DataType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.p3ostream.learner.batch.Partitioning;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.train.WindowEvaluation;
import org.p3ostream.learner.train.WindowEvaluator;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ContextShards;

/**
 * Every way to cut the windows against one reference run of each: one replica, one context shard,
 * everything in one micro-batch, records that never saw a broker. The reference is a run of its
 * own, so no comparison is of a run with itself.
 *
 * <pre>
 *   3 replica counts · 2 shard counts · 3 budgets · 2 partition counts · 3 windows = 108 runs per dtype
 *   108 runs · 4 quantities · 2 dtypes = 864 comparisons
 * </pre>
 */
public final class InvarianceMatrix {

  static final List<Integer> REPLICAS = List.of(1, 2, 4);
  static final List<Integer> CONTEXT_SHARDS = List.of(1, 2);
  static final List<Integer> MICRO_BATCH_TOKENS = List.of(48, 160, 1000);
  static final List<Integer> PARTITIONS = List.of(1, 3);

  /** Some graphs of a window are kept, the others are run forward again. */
  private static final int RETAINED_GRAPH_TOKENS = 300;

  private static final int EVERYTHING = 1_000_000;

  /** Makes what is compared; a mutant makes something else than the product does. */
  public interface Evaluators {
    CausalLm model(DataType dtype, ContextShards shards);

    WindowEvaluator evaluator(CausalLm model, float[] weights, Partitioning partitioning);
  }

  /** As the product does it. */
  public static class Product implements Evaluators {
    @Override
    public CausalLm model(DataType dtype, ContextShards shards) {
      return new CausalLm(NanoModel.config(), Device.cpu(), dtype, shards);
    }

    @Override
    public WindowEvaluator evaluator(CausalLm model, float[] weights, Partitioning partitioning) {
      return new WindowEvaluator(model, weights, StepRecipe.of(new P3o()), partitioning);
    }
  }

  private final float[] weights;
  private final List<FixedWindow> windows;
  private final List<Window> direct;
  private final Map<Integer, List<Window>> byPartitions;

  /**
   * @param direct the windows without a broker
   * @param byPartitions the windows as they came through a topic, by its number of partitions
   */
  InvarianceMatrix(
      float[] weights,
      List<FixedWindow> windows,
      List<Window> direct,
      Map<Integer, List<Window>> byPartitions) {
    this.weights = weights;
    this.windows = windows;
    this.direct = direct;
    this.byPartitions = byPartitions;
  }

  /** The reference run of every window. */
  List<WindowEvaluation> reference(DataType dtype) {
    Product product = new Product();
    Partitioning one = Partitioning.on(Device.cpu(), 1, EVERYTHING, EVERYTHING);
    try (CausalLm model = product.model(dtype, ContextShards.NONE);
        WindowEvaluator evaluator = product.evaluator(model, weights, one)) {
      return direct.stream().map(evaluator::evaluate).toList();
    }
  }

  /** All comparisons of a dtype, of the windows as they came through some topics. */
  List<Comparison> compare(
      DataType dtype, Evaluators evaluators, Collection<Integer> partitionCounts) {
    List<WindowEvaluation> references = reference(dtype);
    List<Comparison> comparisons = new ArrayList<>();
    for (int shards : CONTEXT_SHARDS) {
      try (CausalLm model = evaluators.model(dtype, new ContextShards(shards))) {
        for (int replicas : REPLICAS) {
          for (int budget : MICRO_BATCH_TOKENS) {
            Partitioning partitioning =
                Partitioning.on(Device.cpu(), replicas, budget, RETAINED_GRAPH_TOKENS);
            try (WindowEvaluator evaluator = evaluators.evaluator(model, weights, partitioning)) {
              for (int partitions : partitionCounts) {
                for (int w = 0; w < windows.size(); w++) {
                  Window window = byPartitions.get(partitions).get(w);
                  comparisons.addAll(
                      comparisons(
                          new Comparison.Cell(
                              dtype.name().toLowerCase(Locale.ROOT),
                              windows.get(w).name(),
                              replicas,
                              shards,
                              budget,
                              partitions),
                          references.get(w),
                          evaluator.evaluate(window),
                          dtype == DataType.FLOAT64 ? 1e-10 : 1e-5));
                }
              }
            }
          }
        }
      }
    }
    return comparisons;
  }

  private static List<Comparison> comparisons(
      Comparison.Cell cell, WindowEvaluation reference, WindowEvaluation found, double tolerance) {
    double norm = norm(reference.gradient());
    double[] difference = new double[reference.gradient().length];
    for (int i = 0; i < difference.length; i++) {
      difference[i] = found.gradient()[i] - reference.gradient()[i];
    }
    return List.of(
        scalar(cell, "ess", reference.ess(), found.ess(), tolerance),
        scalar(cell, "kl", reference.behaviorKl(), found.behaviorKl(), tolerance),
        scalar(cell, "loss", reference.loss(), found.loss(), tolerance),
        new Comparison(
            cell, "gradient", norm, norm(found.gradient()), norm(difference) / norm, tolerance));
  }

  private static Comparison scalar(
      Comparison.Cell cell, String quantity, double reference, double found, double tolerance) {
    return new Comparison(cell, quantity, reference, found, Math.abs(found - reference), tolerance);
  }

  private static double norm(double[] values) {
    double squares = 0;
    for (double value : values) {
      squares += value * value;
    }
    return Math.sqrt(squares);
  }
}
