package org.p3ostream.learner.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.batch.MicroBatcher;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.ExactKl;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.window.BehaviorSampling;
import org.p3ostream.learner.window.RandomWindows;
import org.p3ostream.learner.window.RolloutGroups;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.sampling.SampledResponse;
import org.p3ostream.policy.sampling.Sampler;
import org.p3ostream.policy.sampling.SamplingParameters;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.ratio.RatioStatistics;

/** The forward pass of the real model against responses that the real sampler sampled. */
class PolicyForwardTest {

  private static final int LENGTH = 9;
  private static final P3o EXACT = new P3o(EssScope.STEP, KlMode.EXACT);
  private static final int[] PROMPT = {5, 3, 7};

  private static CausalLm model;
  private static Sampler sampler;

  @BeforeAll
  static void start() {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    model = new CausalLm(NanoModel.config(), Device.cpu(), DataType.FLOAT32);
    sampler = new Sampler(model);
  }

  @AfterAll
  static void stop() {
    sampler.close();
    model.close();
  }

  /** Version v: random weights of their own, scaled so that the distributions have a shape. */
  private static float[] weights(long version) {
    float[] weights = ParameterInitializer.initialize(NanoModel.config(), 40 + version);
    for (int i = 0; i < weights.length; i++) {
      weights[i] *= 2.5f;
    }
    return weights;
  }

  static Stream<SamplingParameters> samplings() {
    return Stream.of(
        new SamplingParameters(1, 0, 1, 0, LENGTH),
        new SamplingParameters(0.6, 0, 1, 0, LENGTH),
        new SamplingParameters(0.8, 4, 1, 0, LENGTH),
        new SamplingParameters(1, 0, 0.7, 0, LENGTH),
        new SamplingParameters(1.3, 0, 1, 0.2, LENGTH),
        new SamplingParameters(0.9, 6, 0.8, 0.05, LENGTH));
  }

  /** The same weights on both sides: every ratio is 1, whatever was filtered out. */
  @ParameterizedTest
  @MethodSource("samplings")
  void ratiosAreOneWhereThePolicyIsTheBehavior(SamplingParameters parameters) {
    MicroBatch batch = batch(List.of(sampled(3, parameters, 8, UnaryOperator.identity())));
    TokenFigures figures = forward(weights(3), spec(EXACT, true, false, true), batch);
    assertThat(batch.validTokens()).isGreaterThan(20);
    double[] logRatios = logRatios(figures, batch);
    for (double logRatio : logRatios) {
      assertThat(logRatio).isCloseTo(0, within(1e-5));
    }
    assertThat(RatioStatistics.of(logRatios, all(logRatios.length)).normalizedEss())
        .isCloseTo(1, within(1e-8));
    for (double kl : figures.exactKl) {
      assertThat(kl).isCloseTo(0, within(1e-9));
    }
    Long mismatches = figures.behavior.keptSetMismatches();
    assertThat(mismatches).isEqualTo(sampling(parameters).truncates() ? 0L : null);
    assertThat(gapMax(figures, batch)).isLessThan(1e-5);
  }

  /**
   * Taken over the whole vocabulary instead, the same log-probs would be another distribution's.
   */
  @Test
  void ratiosOfTruncatedSamplingAreBelowOneWithoutTheKeptSet() {
    SamplingParameters topK = new SamplingParameters(1, 4, 1, 0, LENGTH);
    MicroBatch batch = batch(List.of(sampled(3, topK, 8, UnaryOperator.identity())));
    P3o proxy = new P3o();
    double[] shared =
        logRatios(forward(weights(3), spec(proxy, false, false, false), batch), batch);
    double[] whole = logRatios(forward(weights(3), spec(proxy, false, true, false), batch), batch);
    assertThat(Arrays.stream(shared).map(Math::abs).max().orElseThrow()).isLessThan(1e-5);
    assertThat(Arrays.stream(whole).average().orElseThrow()).isLessThan(-0.1);
  }

  /** Two versions in a response, two ways of sampling in a micro-batch; each token its own. */
  @Test
  void exactKlIsThatOfTheVersionAndTheSamplingOfEveryToken() {
    SamplingParameters hot = new SamplingParameters(1.4, 0, 1, 0, LENGTH);
    SamplingParameters narrow = new SamplingParameters(0.7, 5, 0.9, 0, LENGTH);
    UnaryOperator<Response.Builder> twoVersions =
        response ->
            response.setVersionSegments(
                List.of(new VersionSegment(0, 1L), new VersionSegment(1, 2L)));
    MicroBatch batch =
        batch(
            List.of(
                sampled(1, hot, 3, twoVersions), sampled(1, narrow, 3, UnaryOperator.identity())));
    for (boolean samplingTemperature : new boolean[] {false, true}) {
      TokenFigures figures =
          forward(weights(7), spec(EXACT, samplingTemperature, false, false), batch);
      for (int n = 0; n < batch.validTokens(); n++) {
        BehaviorSampling sampling = batch.sampling(n);
        double[] behavior = logits(weights(batch.policyVersions[n]), batch, n); // [V]
        double[] policy = logits(weights(7), batch, n); // [V]
        boolean[] kept = kept(behavior, sampling);
        kept[(int) batch.targets[n]] = true;
        double temperature = samplingTemperature ? sampling.temperature() : 1;
        ExactKl expected = ExactKl.of(policy, temperature, behavior, sampling.temperature(), kept);
        assertThat(figures.exactKl[n])
            .as("token %d, %s", n, sampling)
            .isCloseTo(expected.value(), within(1e-5 * Math.max(1, expected.value())));
        assertThat(figures.logprobs[n])
            .isCloseTo(logSoftmax(policy, temperature, kept)[(int) batch.targets[n]], within(1e-5));
      }
    }
    assertThat(Arrays.stream(batch.policyVersions).distinct()).containsExactly(1L, 2L);
  }

  /** Of the same version, others rounded each in its way: every token its own weights. */
  @Test
  void figuresOfRoundedWeightsAreThoseOfTheWeightsThatSampled() {
    SamplingParameters narrow = new SamplingParameters(0.9, 6, 1, 0, LENGTH);
    List<RolloutGroup> groups = new ArrayList<>();
    List<RolloutGroup> unsaid = new ArrayList<>();
    for (WeightPrecision precision : WeightPrecision.values()) {
      float[] by = precision.round(model.layout(), weights(3));
      UnaryOperator<Response.Builder> said =
          response ->
              response.setSampling(
                  Sampling.newBuilder(response.getSampling())
                      .setWeightPrecision(precision.id())
                      .build());
      groups.add(sampled(by, 3, narrow, 4, said));
      unsaid.add(sampled(by, 3, narrow, 4, UnaryOperator.identity()));
    }
    MicroBatch batch = batch(groups);
    TokenFigures figures = forward(weights(7), spec(EXACT, false, false, true), batch);
    assertThat(gapMax(figures, batch)).isLessThan(1e-5);
    assertThat(figures.behavior.keptSetMismatches()).isZero();
    for (int n = 0; n < batch.validTokens(); n++) {
      BehaviorSampling sampling = batch.sampling(n);
      WeightPrecision precision = Objects.requireNonNull(sampling.weightPrecision());
      double[] behavior = // [V]
          logits(precision.round(model.layout(), weights(3)), batch, n);
      ExactKl expected =
          ExactKl.of(
              logits(weights(7), batch, n),
              1,
              behavior,
              sampling.temperature(),
              kept(behavior, sampling));
      assertThat(figures.exactKl[n])
          .as("token %d, %s", n, sampling)
          .isCloseTo(expected.value(), within(1e-5 * Math.max(1, expected.value())));
    }
    MicroBatch misled = batch(unsaid);
    TokenFigures wrong = forward(weights(7), spec(EXACT, false, false, true), misled);
    assertThat(gapMean(wrong, misled)).isGreaterThan(0.02);
  }

  /** Rows that have no token of a version are left out of its pass; the figures stay the same. */
  @Test
  void figuresDoNotDependOnWhatElseIsInTheMicroBatch() {
    SamplingParameters narrow = new SamplingParameters(0.7, 5, 0.9, 0, LENGTH);
    RolloutGroup one = sampled(1, narrow, 3, UnaryOperator.identity());
    RolloutGroup two = sampled(2, narrow, 3, UnaryOperator.identity());
    ForwardSpec spec = spec(EXACT, false, false, false);
    TokenFigures alone = forward(weights(7), spec, batch(List.of(two)));
    TokenFigures together = forward(weights(7), spec, batch(List.of(one, two)));
    int offset = together.exactKl.length - alone.exactKl.length;
    for (int n = 0; n < alone.exactKl.length; n++) {
      assertThat(together.exactKl[offset + n]).isCloseTo(alone.exactKl[n], within(1e-5));
    }
  }

  /** Sampled from the whole vocabulary, recorded as if only the likeliest token could be. */
  @Test
  void mismatchesAreCountedOverAllVersionsAndWaysOfSampling() {
    SamplingParameters whole = new SamplingParameters(1.4, 0, 1, 0, LENGTH);
    RolloutGroup one = sampled(1, whole, 6, PolicyForwardTest::recordedAsTopOne);
    RolloutGroup two = sampled(2, whole, 6, PolicyForwardTest::recordedAsTopOne);
    RolloutGroup honest =
        sampled(2, new SamplingParameters(1, 4, 1, 0, LENGTH), 6, UnaryOperator.identity());
    long ofOne = mismatches(List.of(one));
    long ofTwo = mismatches(List.of(two));
    assertThat(ofOne).isPositive();
    assertThat(ofTwo).isPositive();
    assertThat(mismatches(List.of(one, two, honest))).isEqualTo(ofOne + ofTwo);
  }

  private static long mismatches(List<RolloutGroup> groups) {
    MicroBatch batch = batch(groups);
    Long counted =
        forward(weights(7), spec(new P3o(), false, false, false), batch)
            .behavior
            .keptSetMismatches();
    assertThat(counted).isNotNull();
    return counted;
  }

  private static Response.Builder recordedAsTopOne(Response.Builder response) {
    return response.setSampling(
        RolloutGroups.sampling(s -> s.setTopK(1).setRenormalised(true).setTemperature(1.4)));
  }

  @Test
  void auditTellsAProducerThatRecordsAnotherTemperatureThanItSamplesAt() {
    SamplingParameters parameters = new SamplingParameters(0.6, 0, 1, 0, LENGTH);
    UnaryOperator<Response.Builder> recordsAtOne =
        response -> response.setBehaviorLogprobs(logprobsAtOne(response, 3));
    MicroBatch honest = batch(List.of(sampled(3, parameters, 8, UnaryOperator.identity())));
    MicroBatch wrong = batch(List.of(sampled(3, parameters, 8, recordsAtOne)));
    ForwardSpec spec = spec(new P3o(), false, false, true);
    assertThat(gapMean(forward(weights(7), spec, honest), honest)).isLessThan(1e-6);
    assertThat(gapMax(forward(weights(7), spec, honest), honest)).isLessThan(1e-5);
    assertThat(gapMean(forward(weights(7), spec, wrong), wrong)).isGreaterThan(0.1);
  }

  /** What is recorded raw is compared with the raw model, and the ratio takes no kept set. */
  @Test
  void auditOfRawLogprobsComparesThemWithTheModelAsItIs() {
    SamplingParameters parameters = new SamplingParameters(0.6, 5, 1, 0, LENGTH);
    MicroBatch batch =
        batch(
            List.of(
                sampled(
                    3,
                    parameters,
                    8,
                    response -> response.setBehaviorLogprobs(logprobsAtOne(response, 3)))));
    TokenFigures figures = forward(weights(3), spec(EXACT, false, true, true), batch);
    assertThat(gapMax(figures, batch)).isLessThan(1e-5);
    assertThat(Arrays.stream(logRatios(figures, batch)).map(Math::abs).max().orElseThrow())
        .isLessThan(1e-5);
    for (double kl : figures.exactKl) { // T 1 against T 0.6, over the kept tokens
      assertThat(kl).isFinite().isNotNegative();
    }
    assertThat(Arrays.stream(figures.exactKl).max().orElseThrow()).isGreaterThan(0.01);
  }

  @Test
  void auditChangesNoBitOfTheLogprobs() {
    MicroBatch batch =
        batch(
            List.of(
                sampled(
                    3, new SamplingParameters(0.6, 0, 1, 0, LENGTH), 8, UnaryOperator.identity())));
    TokenFigures without = forward(weights(7), spec(new P3o(), false, false, false), batch);
    TokenFigures with = forward(weights(7), spec(new P3o(), false, false, true), batch);
    assertThat(with.logprobs).isEqualTo(without.logprobs);
    assertThat(without.behavior.logprobs()).isNull();
  }

  @Test
  void entropyAndReferenceAreThoseOfTheDistributionInTheRatio() {
    SamplingParameters narrow = new SamplingParameters(0.7, 5, 1, 0, LENGTH);
    MicroBatch batch = batch(List.of(sampled(1, narrow, 4, UnaryOperator.identity())));
    StepRecipe recipe =
        new StepRecipe(
            new P3o(),
            new Regularization(0.1, 0.1),
            true,
            false,
            false,
            PolicyForwardTest::weights);
    TokenFigures figures = forward(weights(7), ForwardSpec.of(recipe), batch);
    for (int n = 0; n < batch.validTokens(); n++) {
      boolean[] kept = kept(logits(weights(1), batch, n), batch.sampling(n));
      double[] policy = logSoftmax(logits(weights(7), batch, n), 0.7, kept);
      double[] reference = logSoftmax(logits(weights(0), batch, n), 0.7, kept);
      double entropy = 0;
      for (int v = 0; v < kept.length; v++) {
        entropy -= kept[v] ? Math.exp(policy[v]) * policy[v] : 0;
      }
      assertThat(figures.entropy[n]).isCloseTo(entropy, within(1e-5));
      assertThat(figures.referenceLogprobs[n])
          .isCloseTo(reference[(int) batch.targets[n]], within(1e-5));
    }
  }

  /** One temperature for all, or the same one for each: the same bits. */
  @Test
  void logprobsAreTakenAtTheTemperatureOfEachResponse() {
    SamplingParameters cold = new SamplingParameters(0.6, 0, 1, 0, LENGTH);
    SamplingParameters hot = new SamplingParameters(1.5, 0, 1, 0, LENGTH);
    RolloutGroup first = sampled(3, cold, 4, UnaryOperator.identity());
    RolloutGroup second = sampled(3, hot, 4, UnaryOperator.identity());
    ForwardSpec spec = spec(new P3o(), true, false, false);
    MicroBatch mixed = batch(List.of(first, second));
    double[] logprobs = forward(weights(3), spec, mixed).logprobs;
    assertThat(
            Arrays.stream(logRatios(forward(weights(3), spec, mixed), mixed))
                .map(Math::abs)
                .max()
                .orElseThrow())
        .isLessThan(1e-5);
    assertThat(logprobs).hasSize(mixed.validTokens());
  }

  @Test
  void aMissingSnapshotIsNamedAndNothingElseIsComputedInItsPlace() {
    MicroBatch batch =
        batch(
            List.of(
                sampled(
                    5, new SamplingParameters(1, 4, 1, 0, LENGTH), 3, UnaryOperator.identity())));
    BehaviorWeights none =
        version -> {
          throw new BehaviorSnapshotMissingException(version, "trimmed");
        };
    try (NDScope scope = new NDScope();
        NDArray parameters = model.parameters(weights(7));
        PolicyForward forward =
            new PolicyForward(model, parameters, spec(new P3o(), false, false, false), none)) {
      scope.suppressNotUsedWarning();
      assertThatThrownBy(() -> forward.of(batch))
          .isInstanceOf(BehaviorSnapshotMissingException.class)
          .hasMessage("BEHAVIOUR_SNAPSHOT_MISSING: version 5: trimmed");
    }
  }

  private static ForwardSpec spec(
      P3o objective, boolean samplingTemperature, boolean raw, boolean audit) {
    return ForwardSpec.of(
        new StepRecipe(
            objective,
            Regularization.NONE,
            samplingTemperature,
            raw,
            audit,
            PolicyForwardTest::weights));
  }

  private static TokenFigures forward(float[] weights, ForwardSpec spec, MicroBatch batch) {
    try (NDScope scope = new NDScope();
        NDArray parameters = model.parameters(weights);
        PolicyForward forward =
            new PolicyForward(model, parameters, spec, PolicyForwardTest::weights)) {
      scope.suppressNotUsedWarning();
      return TokenFigures.of(forward.of(batch));
    }
  }

  private static MicroBatch batch(List<RolloutGroup> groups) {
    List<MicroBatch> batches = new MicroBatcher(1_000_000, 0).cut(RandomWindows.window(groups));
    assertThat(batches).hasSize(1);
    return batches.get(0);
  }

  /** A group that the real sampler samples by the weights of a version. */
  private static RolloutGroup sampled(
      long version,
      SamplingParameters parameters,
      int count,
      UnaryOperator<Response.Builder> change) {
    return sampled(weights(version), version, parameters, count, change);
  }

  private static RolloutGroup sampled(
      float[] by,
      long version,
      SamplingParameters parameters,
      int count,
      UnaryOperator<Response.Builder> change) {
    List<Response> responses = new ArrayList<>();
    try (NDScope scope = new NDScope();
        NDArray weights = model.parameters(by)) {
      scope.suppressNotUsedWarning();
      for (SampledResponse sample : sampler.sample(weights, PROMPT, count, parameters, 11)) {
        responses.add(change.apply(response(sample, version, parameters)).build());
      }
    }
    return RolloutGroup.newBuilder(RolloutGroups.good(version, 0, 0, version))
        .setPromptTokens(Arrays.stream(PROMPT).boxed().toList())
        .setSamplesPerGroup(count)
        .setResponses(responses)
        .build();
  }

  private static Response.Builder response(
      SampledResponse sample, long version, SamplingParameters parameters) {
    List<Float> logprobs = new ArrayList<>();
    for (float logprob : sample.logprobs()) {
      logprobs.add(Math.min(logprob, 0));
    }
    int length = sample.tokens().length;
    return Response.newBuilder(RolloutGroups.response(new SplittableRandom(1), length, version, 1))
        .setTokens(Arrays.stream(sample.tokens()).boxed().toList())
        .setBehaviorLogprobs(logprobs)
        .setLossMask(Collections.nCopies(length, true))
        .setFinishReason(FinishReason.STOP)
        .setSampling(
            RolloutGroups.sampling(
                sampling ->
                    sampling
                        .setTemperature(parameters.temperature())
                        .setTopK(parameters.topK())
                        .setTopP(parameters.topP())
                        .setMinP(parameters.minP())
                        .setLogprobKind(LogprobKind.SAMPLING_DISTRIBUTION)
                        .setRenormalised(true)));
  }

  /** Log-probs of a response's tokens under the model as it is, in place of those recorded. */
  private static List<Float> logprobsAtOne(Response.Builder response, long version) {
    List<Integer> tokens = response.getTokens();
    long[] ids = new long[PROMPT.length + tokens.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = i < PROMPT.length ? PROMPT[i] : tokens.get(i - PROMPT.length);
    }
    double[] logits = logits(weights(version), ids); // [T, V]
    int width = model.config().vocabSize();
    List<Float> logprobs = new ArrayList<>();
    for (int t = 0; t < tokens.size(); t++) {
      int from = (PROMPT.length + t - 1) * width;
      double[] row = Arrays.copyOfRange(logits, from, from + width);
      logprobs.add((float) Math.min(0, logSoftmax(row, 1, all(width))[tokens.get(t)]));
    }
    return logprobs;
  }

  private static double[] logits(float[] weights, long[] ids) { // [T, V]
    try (NDScope scope = new NDScope();
        NDArray parameters = model.parameters(weights)) {
      scope.suppressNotUsedWarning();
      float[] logits =
          model
              .logits(parameters, model.manager().create(ids, new Shape(1, ids.length)))
              .toFloatArray();
      double[] values = new double[logits.length];
      for (int i = 0; i < values.length; i++) {
        values[i] = logits[i];
      }
      return values;
    }
  }

  /** Logits that predict token n of a micro-batch, from a pass over its row alone. */
  private static double[] logits(float[] weights, MicroBatch batch, int n) { // [V]
    int row = (int) (batch.positions[n] / batch.columns);
    int column = (int) (batch.positions[n] % batch.columns);
    long[] ids =
        Arrays.copyOfRange(batch.ids, row * batch.columns, row * batch.columns + column + 1);
    double[] logits = logits(weights, ids); // [T, V]
    int width = model.config().vocabSize();
    return Arrays.copyOfRange(logits, logits.length - width, logits.length);
  }

  /** The sampler's filters, written down again: min-p, then top-k, then top-p. */
  private static boolean[] kept(double[] logits, BehaviorSampling sampling) {
    double[] logprobs = logSoftmax(logits, sampling.temperature(), all(logits.length));
    Integer[] order = new Integer[logits.length];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, (a, b) -> Double.compare(logits[b], logits[a]));
    boolean[] kept = new boolean[logits.length];
    double total = 0;
    int count = 0;
    for (Integer token : order) {
      boolean probable = logprobs[token] >= logprobs[order[0]] + Math.log(sampling.minP());
      if (probable && (sampling.topK() == 0 || count < sampling.topK())) {
        kept[token] = true;
        total += Math.exp(logprobs[token]);
        count++;
      }
    }
    double before = 0;
    for (Integer token : order) {
      double probability = kept[token] ? Math.exp(logprobs[token]) / total : 0;
      kept[token] &= sampling.topP() == 1 || before < sampling.topP();
      before += probability;
    }
    return kept;
  }

  private static double[] logSoftmax(double[] logits, double temperature, boolean[] kept) {
    double sum = 0;
    for (int v = 0; v < logits.length; v++) {
      sum += kept[v] ? Math.exp(logits[v] / temperature) : 0;
    }
    double[] logprobs = new double[logits.length];
    for (int v = 0; v < logits.length; v++) {
      logprobs[v] = logits[v] / temperature - Math.log(sum);
    }
    return logprobs;
  }

  private static boolean[] all(int count) {
    boolean[] all = new boolean[count];
    Arrays.fill(all, true);
    return all;
  }

  private static double[] logRatios(TokenFigures figures, MicroBatch batch) {
    double[] logRatios = new double[batch.validTokens()];
    for (int n = 0; n < logRatios.length; n++) {
      logRatios[n] = figures.logprobs[n] - batch.behaviorLogprobs[n];
    }
    return logRatios;
  }

  private static double[] gaps(TokenFigures figures, MicroBatch batch) {
    double[] gaps = new double[batch.validTokens()];
    for (int n = 0; n < gaps.length; n++) {
      gaps[n] = Math.abs(figures.behavior.logprobs()[n] - batch.behaviorLogprobs[n]);
    }
    return gaps;
  }

  private static double gapMean(TokenFigures figures, MicroBatch batch) {
    return Arrays.stream(gaps(figures, batch)).average().orElseThrow();
  }

  private static double gapMax(TokenFigures figures, MicroBatch batch) {
    return Arrays.stream(gaps(figures, batch)).max().orElseThrow();
  }

  private static BehaviorSampling sampling(SamplingParameters parameters) {
    return new BehaviorSampling(
        parameters.temperature(),
        parameters.topK(),
        parameters.topP(),
        parameters.minP(),
        WeightPrecision.FLOAT32);
  }
}
