package org.p3ostream.deploy.log;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;

/** Rollout groups for people: a block per group, a line per response. */
public final class RolloutText implements RolloutSink {

  private static final String BELOW_RESPONSE = " ".repeat(10) + "| ";

  private final PrintWriter out;
  private final TokenTexts texts;
  private boolean first = true;

  public RolloutText(PrintWriter out, TokenTexts texts) {
    this.out = out;
    this.texts = texts;
  }

  @Override
  public void show(RolloutView view) {
    if (!first) {
      out.println();
    }
    first = false;
    RolloutGroup group = view.group();
    print(
        "group %d  window %d%s  attempt %d  prompt %s  %s",
        group.getGroupId(),
        group.getWindowIndex(),
        view.task() == null ? "" : " slot " + view.task().getSlot(),
        group.getAttempt(),
        TerminalText.inline(group.getPromptId()),
        view.entry().coordinate());
    showHeader(view);
    @Nullable String obstacle = texts.obstacle(group.getTokenizerHash());
    if (obstacle != null) {
      field("note", "token ids instead of texts: " + obstacle);
    }
    showPrompt(view.task(), group);
    if (!group.getResponses().isEmpty()) {
      print("  %-7s %6s  %6s  %-7s  %8s  %s", "", "reward", "tokens", "finish", "log-prob", "text");
    }
    for (int i = 0; i < group.getResponses().size(); i++) {
      showResponse(i, group.getResponses().get(i), group.getTokenizerHash());
    }
    out.flush();
  }

  private void showHeader(RolloutView view) {
    RolloutGroup group = view.group();
    field(
        "sampled",
        String.format(
            Locale.ROOT,
            "by producer %s in %.0f ms at %s, %s",
            group.getProducerId(),
            group.getGenerationMillis(),
            Instant.ofEpochMilli(group.getGeneratedAt()),
            versions(view.policyVersions())));
    if (group.getFailure() != null) {
      field("failed", group.getFailure());
    }
    if (!group.getResponses().isEmpty()) {
      field("how", sampling(group.getResponses()) + ", " + finishReasons(group.getResponses()));
    }
    String fate = fate(view);
    if (!fate.isEmpty()) {
      field("ledger", fate);
    }
  }

  private void showPrompt(@Nullable PromptTask task, RolloutGroup group) {
    field("prompt", task == null ? textOrTokens(group, group.getPromptTokens()) : task.getPrompt());
    field(
        "answer",
        task == null
            ? "not found in the prompts topic"
            : task.getReferenceAnswer() + "  (" + task.getReward() + ")");
  }

  private void showResponse(int index, Response response, String tokenizerHash) {
    @Nullable String text = texts.text(tokenizerHash, response.getTokens());
    List<String> lines = TerminalText.lines(text == null ? response.getTokens().toString() : text);
    print(
        "  %-7s %6.3f  %6d  %-7s  %8.3f  %s%s",
        "[" + index + "]",
        response.getReward(),
        response.getTokens().size(),
        response.getFinishReason(),
        RolloutView.meanLogprob(response),
        lines.size() == 1 ? lines.get(0) : "(" + lines.size() + " lines)",
        components(response));
    if (lines.size() > 1) {
      lines.forEach(line -> out.println(BELOW_RESPONSE + line));
    }
  }

  /** Parts of the reward, where they say more than the reward itself. */
  private static String components(Response response) {
    Map<String, Double> parts = response.getRewardComponents();
    boolean same = parts.values().stream().allMatch(part -> part == response.getReward());
    return parts.isEmpty() || (parts.size() == 1 && same)
        ? ""
        : parts.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(
                part ->
                    String.format(
                        Locale.ROOT,
                        "%s %.3f",
                        TerminalText.inline(part.getKey()),
                        part.getValue()))
            .collect(Collectors.joining(", ", "  (", ")"));
  }

  private String textOrTokens(RolloutGroup group, List<Integer> tokens) {
    @Nullable String text = texts.text(group.getTokenizerHash(), tokens);
    return text == null ? tokens.toString() : text;
  }

  private static String versions(LongSummaryStatistics versions) {
    if (versions.getCount() == 0) {
      return "no policy version";
    }
    return versions.getMin() == versions.getMax()
        ? "policy version " + versions.getMin()
        : "policy versions " + versions.getMin() + " to " + versions.getMax();
  }

  private static String fate(RolloutView view) {
    if (view.fate() instanceof Fate.Trained trained) {
      LongSummaryStatistics versions = view.policyVersions();
      long most = trained.policyVersion() - versions.getMin();
      long least = trained.policyVersion() - versions.getMax();
      return "trained in step "
          + trained.step()
          + (versions.getCount() == 0
              ? ""
              : ", staleness " + (least == most ? least : least + " to " + most));
    }
    if (view.fate() instanceof Fate.Skipped skipped) {
      return "not trained: " + skipped.reason() + ", noted in step " + skipped.step();
    }
    return view.fate() instanceof Fate.Open ? "not trained yet" : "";
  }

  private static String sampling(List<Response> responses) {
    return responses.stream()
        .map(response -> sampling(response.getSampling()))
        .distinct()
        .collect(Collectors.joining(" / "));
  }

  /** Filters that are off are left out. */
  private static String sampling(Sampling sampling) {
    StringBuilder text = new StringBuilder("temperature " + sampling.getTemperature());
    if (sampling.getTopK() != 0) {
      text.append(" top-k ").append(sampling.getTopK());
    }
    if (sampling.getTopP() != 1) {
      text.append(" top-p ").append(sampling.getTopP());
    }
    if (sampling.getMinP() != 0) {
      text.append(" min-p ").append(sampling.getMinP());
    }
    if (sampling.getRepetitionPenalty() != 1) {
      text.append(" repetition penalty ").append(sampling.getRepetitionPenalty());
    }
    if (!sampling.getWeightPrecision().equals("float32")) {
      text.append(" weights ").append(sampling.getWeightPrecision());
    }
    return text.append(", log-probs of ").append(sampling.getLogprobKind()).toString();
  }

  private static String finishReasons(List<Response> responses) {
    Map<FinishReason, Integer> counts = new LinkedHashMap<>();
    responses.forEach(response -> counts.merge(response.getFinishReason(), 1, Integer::sum));
    return counts.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(count -> count.getValue() + " " + count.getKey())
        .collect(Collectors.joining(", "));
  }

  private void field(String name, String value) {
    List<String> lines = TerminalText.lines(value);
    print("  %-7s  %s", name, lines.get(0));
    lines.stream().skip(1).forEach(line -> print("  %-7s  %s", "", line));
  }

  private void print(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
  }
}
