package org.p3ostream.deploy.log;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.List;
import java.util.LongSummaryStatistics;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;

/**
 * Rollout groups for scripts: one JSON object per line with every field of the record and, joined
 * to it, {@code slot}, {@code prompt}, {@code referenceAnswer} and {@code rewardFunction} (null if
 * the prompt was not found), {@code trainedInStep}, {@code stalenessMin}, {@code stalenessMax} and
 * {@code skipped} (null unless the ledger says so), {@code textNote} (why there are no texts) and
 * {@code text} and {@code meanBehaviorLogprob} of each response.
 */
public final class RolloutJson implements RolloutSink {

  private final PrintWriter out;
  private final TokenTexts texts;

  public RolloutJson(PrintWriter out, TokenTexts texts) {
    this.out = out;
    this.texts = texts;
  }

  @Override
  public void show(RolloutView view) {
    RolloutGroup group = view.group();
    ObjectNode line = JsonLines.coordinate(view.entry());
    line.setAll(JsonLines.tree(group));
    JsonNode responses = line.remove("responses"); // goes to the end
    addPrompt(line, view.task());
    addFate(line, view);
    line.put("textNote", texts.obstacle(group.getTokenizerHash()));
    line.set("responses", responses);
    for (int i = 0; i < group.getResponses().size(); i++) {
      addText((ObjectNode) responses.get(i), group.getResponses().get(i), group);
    }
    out.println(JsonLines.line(line));
    out.flush();
  }

  private static void addPrompt(ObjectNode line, @Nullable PromptTask task) {
    line.put("slot", task == null ? null : task.getSlot());
    line.put("prompt", task == null ? null : task.getPrompt());
    line.put("referenceAnswer", task == null ? null : task.getReferenceAnswer());
    line.put("rewardFunction", task == null ? null : task.getReward());
  }

  private static void addFate(ObjectNode line, RolloutView view) {
    LongSummaryStatistics versions = view.policyVersions();
    if (view.fate() instanceof Fate.Trained trained && versions.getCount() > 0) {
      line.put("trainedInStep", trained.step());
      line.put("stalenessMin", trained.policyVersion() - versions.getMax());
      line.put("stalenessMax", trained.policyVersion() - versions.getMin());
    } else {
      List.of("trainedInStep", "stalenessMin", "stalenessMax").forEach(line::putNull);
    }
    line.put(
        "skipped", view.fate() instanceof Fate.Skipped skipped ? skipped.reason().name() : null);
  }

  private void addText(ObjectNode line, Response response, RolloutGroup group) {
    line.put("text", texts.text(group.getTokenizerHash(), response.getTokens()));
    line.put("meanBehaviorLogprob", RolloutView.meanLogprob(response));
  }
}
