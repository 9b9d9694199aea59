package org.p3ostream.deploy.stack;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a child JVM is to run.
 *
 * @param name short name for messages, for instance {@code learner}
 * @param classPath class path of the program; must hold {@link ChildMain}
 * @param jvmFlags flags of the JVM
 * @param mainClass the program
 * @param arguments the program's arguments
 * @param environment variables set in addition to this process's own
 * @param workDirectory current directory of the child
 * @param logFile where standard output and error go, appended
 */
public record JvmCommand(
    String name,
    String classPath,
    List<String> jvmFlags,
    String mainClass,
    List<String> arguments,
    Map<String, String> environment,
    Path workDirectory,
    Path logFile,
    boolean yielding) {

  /**
   * Environment of a child that computes with torch: one thread, passive waiting (spinning threads
   * starve a small machine), one instruction set for reproducible results.
   */
  private static final Map<String, String> TORCH_ENVIRONMENT =
      Map.of(
          "OMP_NUM_THREADS", "1",
          "OMP_WAIT_POLICY", "PASSIVE",
          "MKL_CBWR", "AVX2",
          "ATEN_CPU_CAPABILITY", "avx2");

  /** Flags that keep the engine off the network. */
  private static final List<String> TORCH_FLAGS =
      List.of("-Dai.djl.offline=true", "-DOPT_OUT_TRACKING=true");

  public JvmCommand {
    jvmFlags = List.copyOf(jvmFlags);
    arguments = List.copyOf(arguments);
    environment = Map.copyOf(environment);
  }

  /** A program on this JVM's own class path, logging to {@code <name>.log} in its directory. */
  public static JvmCommand ofOwnClassPath(
      String name, Path workDirectory, Class<?> main, List<String> arguments) {
    return new JvmCommand(
        name,
        System.getProperty("java.class.path"),
        ClassArchive.OWN.jvmFlags(),
        main.getName(),
        arguments,
        Map.of(),
        workDirectory,
        workDirectory.resolve(name + ".log"),
        false);
  }

  /**
   * The same command for a process that lives for minutes: it is warm sooner with the quick
   * compiler alone, and leaves the processors to the engine, whose kernels are compiled already.
   */
  public JvmCommand withQuickWarmUp() {
    return withJvmFlags("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
  }

  /** The same command with more JVM flags. */
  public JvmCommand withJvmFlags(String... flags) {
    return withJvmFlags(List.of(flags));
  }

  /** The same command for a program that computes with torch. */
  public JvmCommand withTorch() {
    Map<String, String> merged = new LinkedHashMap<>(TORCH_ENVIRONMENT);
    merged.putAll(environment);
    return new JvmCommand(
            name,
            classPath,
            jvmFlags,
            mainClass,
            arguments,
            merged,
            workDirectory,
            logFile,
            yielding)
        .withJvmFlags(TORCH_FLAGS);
  }

  /**
   * The same command for a program that must not run twice in its directory under its name: it
   * waits until an earlier one has ended, and says in its log for which process it waits.
   */
  public JvmCommand asTheOnlyOne() {
    return withJvmFlags(
        "-D" + ChildMain.SOLE_PROPERTY + "=" + workDirectory.resolve(name + ChildMain.LOCK_SUFFIX));
  }

  /** The same command with more JVM flags. */
  JvmCommand withJvmFlags(List<String> flags) {
    List<String> merged = new ArrayList<>(jvmFlags);
    merged.addAll(flags);
    return new JvmCommand(
        name,
        classPath,
        merged,
        mainClass,
        arguments,
        environment,
        workDirectory,
        logFile,
        yielding);
  }

  /** The same command for a program that yields to others where processors are scarce. */
  public JvmCommand thatYields() {
    return new JvmCommand(
        name, classPath, jvmFlags, mainClass, arguments, environment, workDirectory, logFile, true);
  }

  /** The command line, from {@code java} on. */
  List<String> commandLine() {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(NativeAccess.jvmFlags(Runtime.version().feature()));
    line.addAll(jvmFlags);
    line.add("-cp");
    line.add(classPath);
    line.add(ChildMain.class.getName());
    line.add(mainClass);
    line.addAll(arguments);
    return line;
  }
}
