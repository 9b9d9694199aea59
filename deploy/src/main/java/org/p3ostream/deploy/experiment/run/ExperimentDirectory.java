package org.p3ostream.deploy.experiment.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.deploy.workdirectory.WorkDirectory;

/**
 * Where an experiment keeps everything.
 *
 * <pre>
 *   plan.yaml            the plan, as it was given
 *   stack/               data of broker and registry: what `p3o up --work-dir` takes
 *   warm-starts/HASH/    model, prompts, held-out prompts and result of a warm start
 *   runs/ID/             attempt, p3o.yaml and result.json of a run; keep while topics of a run
 *                        that is over are to be deleted
 *   report/              page and tables
 *   experiment.log
 * </pre>
 *
 * @param root absolute
 */
record ExperimentDirectory(Path root) {

  private static final String PLAN = "plan.yaml";

  /** What an experiment may leave behind that was ended before it began. */
  private static final Set<String> BEFORE_THE_FIRST_RUN =
      Set.of("in-use", "experiment.log", PLAN + ".part");

  /**
   * The given directory for a new experiment, created if missing.
   *
   * @throws ConfigException if it holds something
   */
  static ExperimentDirectory create(Path given) {
    if (Files.exists(given) && !Files.isDirectory(given)) {
      throw new ConfigException("--out: " + given + " must be a directory");
    }
    try {
      Files.createDirectories(given);
      ExperimentDirectory directory = new ExperimentDirectory(given.toRealPath());
      if (Files.exists(directory.plan())) {
        throw new ConfigException(
            "--out: " + given + " holds an experiment already: --resume goes on with it");
      }
      try (Stream<Path> files = Files.list(given)) {
        if (files.anyMatch(f -> !BEFORE_THE_FIRST_RUN.contains(f.getFileName().toString()))) {
          throw new ConfigException("--out: " + given + " must be empty or missing");
        }
      }
      return directory;
    } catch (IOException e) {
      throw new ConfigException("--out: cannot create " + given + ": " + e);
    }
  }

  /**
   * The given directory, which holds an experiment.
   *
   * @throws ConfigException if it does not
   */
  static ExperimentDirectory existing(Path given) {
    if (!Files.isRegularFile(given.resolve(PLAN))) {
      throw new ConfigException(
          "--out: %s holds no experiment: it has no %s; --plan begins one".formatted(given, PLAN));
    }
    try {
      return new ExperimentDirectory(given.toRealPath());
    } catch (IOException e) {
      throw new ConfigException("--out: cannot read " + given + ": " + e);
    }
  }

  /**
   * The given directory to go on in, of which nothing need be there: an experiment that was killed
   * before it had written its plan begins.
   *
   * @throws ConfigException if it holds something else
   */
  static ExperimentDirectory existingOrNew(Path given) {
    return Files.exists(given.resolve(PLAN)) ? existing(given) : create(given);
  }

  /** Whether somebody began here. */
  boolean isBegun() {
    return Files.exists(plan());
  }

  Path plan() {
    return root.resolve(PLAN);
  }

  Path stack() {
    return root.resolve("stack");
  }

  Path warmStarts() {
    return root.resolve("warm-starts");
  }

  Path report() {
    return root.resolve("report");
  }

  Path log() {
    return root.resolve("experiment.log");
  }

  Path run(PlannedRun run) {
    return root.resolve("runs").resolve(run.id());
  }

  Path result(PlannedRun run) {
    return run(run).resolve("result.json");
  }

  Path configuration(PlannedRun run) {
    return run(run).resolve("p3o.yaml");
  }

  Path checkpoints(PlannedRun run) {
    return run(run).resolve("checkpoints");
  }

  /** As others know it who work in directories. */
  WorkDirectory asWorkDirectory() {
    return new WorkDirectory(root, false);
  }

  /** Writes a file so that whoever is killed meanwhile leaves the whole of it or nothing. */
  void writeWhole(Path file, String text) {
    try {
      Files.createDirectories(file.resolve("..").normalize());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create the directory of " + file, e);
    }
    asWorkDirectory().writeWhole(file, part -> Files.writeString(part, text));
  }

  /**
   * Counts the times that a run was begun, this one included: topics of an earlier time that was
   * cut short are never written to again.
   */
  int beginAttempt(PlannedRun run) {
    Path file = run(run).resolve("attempt");
    int attempt = attempts(file) + 1;
    writeWhole(file, Integer.toString(attempt));
    return attempt;
  }

  private static int attempts(Path file) {
    try {
      return Files.exists(file) ? Integer.parseInt(Files.readString(file).strip()) : 0;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    } catch (NumberFormatException e) {
      throw new IllegalStateException(file + ": must hold how often the run was begun", e);
    }
  }

  /**
   * Notes what stays of the topics of a run, before its result is there: whoever is killed before
   * the others were deleted leaves the note.
   */
  void noteCleanup(PlannedRun run, KeptTopics kept) {
    writeWhole(keep(run), kept.name());
  }

  /** What was noted and not {@link #forgetCleanup forgotten}. */
  Optional<KeptTopics> notedCleanup(PlannedRun run) {
    Path file = keep(run);
    try {
      return Files.exists(file)
          ? Optional.of(KeptTopics.valueOf(Files.readString(file).strip()))
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(file + ": must hold what stays of the topics of the run", e);
    }
  }

  /** What was noted is done. */
  void forgetCleanup(PlannedRun run) {
    try {
      Files.deleteIfExists(keep(run));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + keep(run), e);
    }
  }

  private Path keep(PlannedRun run) {
    return run(run).resolve("keep");
  }

  /** Removes a directory with what is in it, if it is there. */
  static void delete(Path directory) {
    if (Files.isDirectory(directory)) {
      new WorkDirectory(directory, true).delete();
    }
  }
}
