package org.p3ostream.deploy.workdirectory;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.learner.task.SyntheticTask;

/**
 * How a run in a work directory began. Written before anything else, so that whatever is killed
 * afterwards can be resumed.
 *
 * @param root where the directory was then; it may have been moved or copied since
 * @param task what is learnt
 * @param producers number of producer processes
 * @param settings {@code path=value} of everything that was decided
 */
public record RunRecord(String root, SyntheticTask task, int producers, List<String> settings) {

  static final String FILE_NAME = "demo.json";

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .build();

  public RunRecord {
    settings = List.copyOf(settings);
  }

  /**
   * The record in a directory.
   *
   * @throws ConfigException naming the file if it cannot be used
   */
  public static RunRecord read(WorkDirectory directory) {
    Path file = directory.record();
    try {
      return JSON.readValue(file.toFile(), RunRecord.class);
    } catch (JsonProcessingException e) {
      throw new ConfigException(file + ": is not how a run began: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new ConfigException(file + ": cannot be read: " + e.getMessage());
    }
  }

  /** Writes it into a directory. */
  public void write(WorkDirectory directory) {
    directory.writeWhole(
        directory.record(),
        part ->
            Files.writeString(
                part, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(this)));
  }

  /**
   * The configuration of the run: the file that its roles read, once there is one.
   *
   * @param overrides {@code path=value}, over it
   */
  public P3oConfig configuration(WorkDirectory directory, List<String> overrides) {
    boolean written = Files.exists(directory.configuration());
    @Nullable Path file = written ? directory.configuration() : null;
    List<String> base = written ? List.of() : settings;
    List<String> all = new ArrayList<>(base);
    all.addAll(moved(ConfigLoader.load(file, base), directory));
    all.addAll(overrides);
    return ConfigLoader.load(file, all);
  }

  /** Overrides for what lay in the directory and lies there still, wherever that is now. */
  private List<String> moved(P3oConfig config, WorkDirectory directory) {
    List<String> overrides = new ArrayList<>();
    move("model.directory", config.model().directory(), directory, overrides);
    move("prompts.file", String.valueOf(config.prompts().file()), directory, overrides);
    move(
        "learner.checkpointDirectory",
        config.learner().checkpointDirectory(),
        directory,
        overrides);
    move("streams.stateDirectory", config.streams().stateDirectory(), directory, overrides);
    return overrides;
  }

  private void move(String path, String value, WorkDirectory directory, List<String> overrides) {
    String now = directory.root().toString();
    if (value.startsWith(root + "/") && !value.startsWith(now + "/")) {
      overrides.add(path + "=" + now + value.substring(root.length()));
    }
  }
}
