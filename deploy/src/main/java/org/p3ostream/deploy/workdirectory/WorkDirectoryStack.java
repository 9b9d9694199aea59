package org.p3ostream.deploy.workdirectory;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.deploy.stack.Predecessors;
import org.p3ostream.deploy.workdirectory.WorkDirectoryClaim.Holder;
import org.p3ostream.deploy.workdirectory.WorkDirectoryClaim.TakenException;

/**
 * Broker and registry on the data of a work directory, for those who want to read its run: those of
 * a demo that is up there, else own ones, which are ended with this. Nothing of the run is started
 * or changed.
 */
public final class WorkDirectoryStack implements AutoCloseable {

  private final P3oConfig config;
  private final @Nullable LocalStack stack;
  private final @Nullable WorkDirectoryClaim claim;

  private WorkDirectoryStack(
      P3oConfig config, @Nullable LocalStack stack, @Nullable WorkDirectoryClaim claim) {
    this.config = config;
    this.stack = stack;
    this.claim = claim;
  }

  /**
   * Starts what is needed and waits until it answers.
   *
   * @param path a directory that a demo ran in
   * @param command who asks, for instance {@code p3o audit}; told to those who come meanwhile
   * @param overrides {@code path=value} over the configuration of the run
   * @param notice told what takes time
   * @throws ConfigException if the directory holds no run, or if somebody works there who does not
   *     serve it
   */
  public static WorkDirectoryStack open(
      Path path, String command, List<String> overrides, Consumer<String> notice) {
    WorkDirectory directory = WorkDirectory.existing(path);
    RunRecord run = RunRecord.read(directory);
    run.configuration(directory, overrides); // what is wrong with it shows before anything starts
    try {
      return start(
          directory, run, WorkDirectoryClaim.tryTake(directory, command), overrides, notice);
    } catch (TakenException e) {
      return share(directory, run, e.holder(), overrides, notice);
    }
  }

  /** The configuration of the run, with the addresses of broker and registry as they are now. */
  public P3oConfig config() {
    return config;
  }

  /** Ends what was started. */
  @Override
  public void close() {
    if (stack != null) {
      stack.close();
    }
    if (claim != null) {
      claim.close();
    }
  }

  private static WorkDirectoryStack start(
      WorkDirectory directory,
      RunRecord run,
      WorkDirectoryClaim claim,
      List<String> overrides,
      Consumer<String> notice) {
    @Nullable LocalStack stack = null;
    try {
      Predecessors.await(directory.root(), notice);
      notice.accept("starting broker and registry of " + directory.root());
      stack = LocalStack.launch(directory.root(), 0, 0);
      P3oConfig config =
          configuration(directory, run, stack.bootstrapServers(), stack.registryUrl(), overrides);
      stack.awaitReady();
      return new WorkDirectoryStack(config, stack, claim);
    } catch (RuntimeException e) {
      if (stack != null) {
        stack.close();
      }
      claim.close();
      throw e;
    }
  }

  private static WorkDirectoryStack share(
      WorkDirectory directory,
      RunRecord run,
      Holder holder,
      List<String> overrides,
      Consumer<String> notice) {
    if (holder.bootstrapServers() == null || holder.registryUrl() == null) {
      throw WorkDirectoryClaim.inUse(directory, holder);
    }
    notice.accept("reading from " + holder + ", which is up in " + directory.root());
    return new WorkDirectoryStack(
        configuration(directory, run, holder.bootstrapServers(), holder.registryUrl(), overrides),
        null,
        null);
  }

  private static P3oConfig configuration(
      WorkDirectory directory,
      RunRecord run,
      String bootstrapServers,
      String registryUrl,
      List<String> overrides) {
    List<String> all = new ArrayList<>(overrides);
    all.add("kafka.bootstrap.servers=" + bootstrapServers);
    all.add("registry.url=" + registryUrl);
    return run.configuration(directory, all);
  }
}
