package org.p3ostream.deploy.experiment.run;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Results as files, one for each run that is over. */
final class ResultStore {

  private static final Logger LOG = LoggerFactory.getLogger(ResultStore.class);

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .build();

  private final ExperimentDirectory directory;

  ResultStore(ExperimentDirectory directory) {
    this.directory = directory;
  }

  /**
   * Writes a result; it is there whole or not at all.
   *
   * @param kept noted before: what stays of the topics of the run
   */
  void write(PlannedRun run, RunResult result, KeptTopics kept) {
    directory.noteCleanup(run, kept);
    try {
      directory.writeWhole(directory.result(run), JSON.writeValueAsString(result));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot write the result of " + run.id(), e);
    }
  }

  /**
   * Whether there is a whole result of the run that {@link #read} does not take, one of another
   * version of this program included, of which only that version knows what it says.
   */
  boolean isOfAnother(PlannedRun run, String runHash) {
    Path file = directory.result(run);
    if (!Files.exists(file)) {
      return false;
    }
    try {
      JsonNode json = JSON.readTree(file.toFile());
      return json.isObject() && !isOf(JSON.treeToValue(json, RunResult.class), run, runHash);
    } catch (JsonParseException e) {
      LOG.debug("{}: is damaged", file, e);
      return false;
    } catch (IOException e) {
      LOG.warn("{}: cannot be taken: {}", file, e.getMessage());
      return true;
    }
  }

  /**
   * The result of a run.
   *
   * @param runHash what it must be of
   * @return empty if there is none, or one that is damaged or of another configuration
   */
  Optional<RunResult> read(PlannedRun run, String runHash) {
    Path file = directory.result(run);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      RunResult result = JSON.readValue(file.toFile(), RunResult.class);
      if (isOf(result, run, runHash)) {
        return Optional.of(result);
      }
      LOG.warn("{}: is of another configuration, and is made anew", file);
    } catch (IOException e) {
      LOG.warn("{}: cannot be read, and is made anew: {}", file, e.getMessage());
    }
    return Optional.empty();
  }

  private static boolean isOf(RunResult result, PlannedRun run, String runHash) {
    return result.format() == RunResult.FORMAT
        && result.id().equals(run.id())
        && result.trace().runHash().equals(runHash);
  }
}
