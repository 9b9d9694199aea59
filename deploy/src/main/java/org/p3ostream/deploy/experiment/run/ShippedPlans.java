package org.p3ostream.deploy.experiment.run;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.PlanReader;

/** The plans that ship, and those in files. */
public final class ShippedPlans {

  private static final List<String> NAMES =
      List.of(
          "smoke",
          "mismatch",
          "mismatch-sort8",
          "mismatch-hot",
          "clip-sensitivity",
          "ablation",
          "denominator",
          "lag-sweep");

  /**
   * A plan as it was written, and what it says.
   *
   * @param yaml its text
   */
  public record PlanText(String yaml, ExperimentPlan plan) {}

  private ShippedPlans() {}

  /** Names that {@link #find} knows, the quickest first. */
  public static List<String> names() {
    return NAMES;
  }

  /**
   * The plan of a name, or that in a file.
   *
   * @throws ConfigException naming what is wrong
   */
  public static PlanText find(String nameOrFile) {
    Path file = Path.of(nameOrFile);
    if (Files.isRegularFile(file)) {
      return read(file);
    }
    if (!NAMES.contains(nameOrFile)) {
      throw new ConfigException(
          "--plan: '" + nameOrFile + "' must be a file or one of " + String.join(", ", NAMES));
    }
    String yaml = resource("/plans/" + nameOrFile + ".yaml");
    return new PlanText(yaml, PlanReader.read("plan " + nameOrFile, yaml));
  }

  static PlanText read(Path file) {
    try {
      String yaml = Files.readString(file);
      return new PlanText(yaml, PlanReader.read(file.toString(), yaml));
    } catch (CharacterCodingException e) {
      throw new ConfigException("--plan: " + file + " must be text in UTF-8");
    } catch (IOException e) {
      throw new ConfigException("--plan: cannot read " + file + ": " + e);
    }
  }

  private static String resource(String path) {
    try (InputStream stream = ShippedPlans.class.getResourceAsStream(path)) {
      if (stream == null) {
        throw new IllegalStateException("not on the class path: " + path);
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + path, e);
    }
  }
}
