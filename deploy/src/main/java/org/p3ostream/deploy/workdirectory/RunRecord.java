package org.p3ostream.deploy.workdirectory;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    String was = rootOf(config);
    String now = directory.root().toString();
    Map<String, String> paths = new LinkedHashMap<>();
    paths.put("model.directory", config.model().directory());
    paths.put("prompts.file", String.valueOf(config.prompts().file()));
    paths.put("learner.checkpointDirectory", config.learner().checkpointDirectory());
    paths.put("streams.stateDirectory", config.streams().stateDirectory());
    List<String> overrides = new ArrayList<>();
    paths.forEach(
        (path, value) -> {
          if (!was.equals(now) && value.startsWith(was + "/")) {
            overrides.add(path + "=" + now + value.substring(was.length()));
          }
        });
    return overrides;
  }

  /** Where the directory was when its configuration was written: it is, with every resumption. */
  private String rootOf(P3oConfig config) {
    String targets = config.metrics().targetsDirectory();
    @Nullable Path parent = targets == null ? null : Path.of(targets).getParent();
    return parent == null ? root : parent.toString();
  }
}
