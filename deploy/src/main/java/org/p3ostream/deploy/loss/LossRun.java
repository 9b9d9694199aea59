package org.p3ostream.deploy.loss;

import ai.djl.ndarray.types.DataType;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.List;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.learner.objective.Objective;

/** From a file to what is printed of it. */
public final class LossRun {

  /** What evaluates the objective. */
  public enum Engine {
    /** Plain Java, float64. */
    JAVA,
    /** The script that trains. */
    TORCH
  }

  /** Type of log π_θ in the torch engine. */
  public enum Precision {
    FLOAT32,
    FLOAT64
  }

  private final Objective objective;
  private final Engine engine;
  private final Precision precision;

  public LossRun(Objective objective, Engine engine, Precision precision) {
    this.objective = objective;
    this.engine = engine;
    this.precision = precision;
  }

  /**
   * Reads the tokens of a step and prints what the objective says of them.
   *
   * @param file name for messages
   * @param in the caller's to close
   * @param json one JSON object instead of a table
   * @throws ConfigException naming line, field and rule of what is wrong with the file
   */
  public void run(String file, InputStream in, boolean json, PrintWriter out) throws IOException {
    LossInput input = LossInputReader.read(file, in);
    try (LossEngine evaluating = engine()) {
      LossReport report = LossEvaluation.of(input, objective, evaluating);
      List<String> warnings = LossWarnings.of(input, objective, report);
      if (json) {
        LossJson.write(report, name(), warnings, out);
        out.println();
        out.flush();
      } else {
        new LossTable(out).print(input, report, name(), warnings);
      }
    }
  }

  private LossEngine engine() {
    return engine == Engine.JAVA
        ? objective::evaluate
        : new TorchLossEngine(
            objective, precision == Precision.FLOAT32 ? DataType.FLOAT32 : DataType.FLOAT64);
  }

  private String name() {
    return engine == Engine.JAVA ? "java" : "torch";
  }
}
