package org.p3ostream.learner.runtime;

import ai.djl.ndarray.NDArray;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.batch.MicroBatcher;
import org.p3ostream.learner.config.AuditConfig;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.forward.BehaviorSnapshotMissingException;
import org.p3ostream.learner.forward.BehaviorWeights;
import org.p3ostream.learner.forward.PolicyForward;
import org.p3ostream.learner.forward.PolicyOutputs;
import org.p3ostream.learner.forward.TokenFigures;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.learner.window.TrainingGroup;
import org.p3ostream.learner.window.TrainingResponse;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * Importance ratios of the tokens that a step trained, computed again out of the log:
 *
 * <pre>
 *   rho = exp(log pi_theta - log pi_b)      per valid token
 * </pre>
 *
 * π_θ is the policy of the version that the step updated, found in {@code snapshots}, at the
 * temperature and over the tokens that the step took it; log π_b is what the producer recorded,
 * both nats. No cap and no clip. Forward pass in the model's dtype without a graph, the rest in
 * float64, no reduction. Source: notation of the P3O objective, see {@code docs/objectives.md}.
 *
 * <p>Deviation: the window is cut into micro-batches as one replica would cut it, and log-probs are
 * of the model's dtype also where the step took them out of whole distributions. Either moves a
 * float32 log-prob by rounding, some 1e-7.
 *
 * <p>Only reads. One thread, always the same.
 */
public final class StepRatios implements AutoCloseable {

  /**
   * Ratios of a group.
   *
   * @param responses one array for each response that came to an end, in the order of the record,
   *     [T]: NaN where a token is not in the loss
   */
  public record OfGroup(long groupId, List<double[]> responses) {}

  private record Found(LedgerState ledger, StepEvent step, RunDefinition definition) {}

  private final LearnerSettings settings;
  private final LogReaders readers;
  private @Nullable RunAssets assets;

  /**
   * Loads nothing yet.
   *
   * @param settings which run and which model; how a step took π_θ is in the ledger
   */
  public StepRatios(LearnerSettings settings, LogReaders readers) {
    this.settings = settings;
    this.readers = readers;
  }

  /**
   * Ratios of every group of a step, in groupId order.
   *
   * @throws LedgerException if the ledger has no such trained step, or its rollouts are gone
   * @throws BehaviorSnapshotMissingException if the log does not hold the weights
   * @throws ConfigurationException if {@code model.directory} is not the model of the run
   */
  public List<OfGroup> of(long step) {
    TorchRuntime.start(settings.model().threads());
    TorchRuntime.prepareThread();
    RunLog own =
        new RunLog(readers, new TopicCatalogue(settings.run().topicPrefix()), settings.run().id());
    Found found = find(own, step);
    RunAssets loaded = assets();
    requireModel(loaded, found);
    RunLog data = new Beginning(loaded, readers, () -> false).log(found.ledger().genesis());
    BehaviorSnapshots behavior = loaded.snapshots(data);
    float[] weights = weights(loaded, own, found); // [P]
    LearnerSettings then =
        found.definition().settingsOver(loaded.settings()).withAudit(AuditConfig.defaults());
    try (RunAssets there = loaded.under(then)) {
      Window window =
          new WindowReplay(List.of(found.step()), data.rollouts())
              .next(found.step(), there.contract(behavior));
      return byGroup(window, ratios(there, window, weights, behavior));
    }
  }

  /**
   * A model that is another one is read again the next time: somebody may put the right one back.
   */
  private void requireModel(RunAssets loaded, Found found) {
    try {
      loaded.requireModelOf(found.definition());
    } catch (ConfigurationException e) {
      close();
      throw e;
    }
  }

  private Found find(RunLog log, long step) {
    LedgerState ledger = new LedgerState(log.runId(), settings.dispatch().groupsPerWindow());
    List<Found> found = new ArrayList<>();
    log.ledger()
        .readAll(
            (event, hash) -> {
              ledger.apply(event, hash);
              if (event.getStep() == step && event.getKind() == StepKind.STEP) {
                found.add(new Found(ledger, event, ledger.definition()));
              }
            });
    if (found.isEmpty()) {
      throw new LedgerException(log.topics().steps().name() + " trained no step " + step);
    }
    return found.get(0);
  }

  /** Version 0 is what the model directory holds; a fork begins with one of its own snapshots. */
  private static float[] weights(RunAssets assets, RunLog own, Found found) {
    long version = found.step().getPolicyVersionBefore();
    return version == 0 ? assets.initialWeights() : assets.snapshotSearch(own).find(version);
  }

  /** [N], in group, response, token order. */
  private static double[] ratios(
      RunAssets assets, Window window, float[] weights, BehaviorWeights behavior) {
    double[] ratios = new double[Math.toIntExact(window.validTokens())]; // [N]
    MicroBatcher batcher =
        new MicroBatcher(
            assets.settings().learner().microBatchTokens(), assets.model().config().padTokenId());
    int filled = 0;
    try (NDArray parameters = assets.model().parameters(weights); // [P]
        PolicyForward forward =
            new PolicyForward(assets.model(), parameters, assets.logprobsInTheRatio(), behavior)) {
      for (MicroBatch batch : batcher.cut(window)) {
        try (PolicyOutputs outputs = forward.of(batch)) {
          double[] logprobs = TokenFigures.of(outputs).logprobs; // [n]
          for (int n = 0; n < logprobs.length; n++) {
            ratios[filled++] = Math.exp(logprobs[n] - batch.behaviorLogprobs[n]);
          }
        }
      }
    }
    return ratios;
  }

  private static List<OfGroup> byGroup(Window window, double[] ratios) {
    List<OfGroup> groups = new ArrayList<>();
    int next = 0;
    for (TrainingGroup group : window.groups()) {
      List<double[]> responses = new ArrayList<>();
      for (TrainingResponse response : group.responses()) {
        double[] ofResponse = new double[response.length()]; // [T]
        Arrays.fill(ofResponse, Double.NaN);
        for (int t = 0; t < ofResponse.length; t++) {
          if (response.isValid(t)) {
            ofResponse[t] = ratios[next++];
          }
        }
        responses.add(ofResponse);
      }
      groups.add(new OfGroup(group.groupId(), responses));
    }
    return groups;
  }

  private RunAssets assets() {
    if (assets == null) {
      assets = RunAssets.loadModel(settings);
    }
    return assets;
  }

  @Override
  public void close() {
    if (assets != null) {
      assets.close();
      assets = null;
    }
  }
}
