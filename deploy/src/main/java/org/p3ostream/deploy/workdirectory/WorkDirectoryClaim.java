package org.p3ostream.deploy.workdirectory;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.stack.LocalStack;

/**
 * The exclusive right to work in a directory, as a lock on a file in it: it ends with the process,
 * however that ends, so that none is ever stale. The file tells others who holds it and, where the
 * holder serves them, the addresses of broker and registry.
 */
public final class WorkDirectoryClaim implements AutoCloseable {

  static final String FILE_NAME = "in-use";

  private static final int MAX_BYTES = 4096;

  private static final String WORK_DIRECTORY = "--work-dir";

  private final FileChannel file;
  private final Properties holder;

  private WorkDirectoryClaim(FileChannel file, Properties holder) {
    this.file = file;
    this.holder = holder;
  }

  /**
   * Who works in a directory.
   *
   * @param command the command, for instance {@code p3o demo}
   * @param process its process id
   * @param bootstrapServers address of the broker it serves; null if it does not, or not yet
   * @param registryUrl address of the registry it serves; null together with the other
   */
  public record Holder(
      String command,
      String process,
      @Nullable String bootstrapServers,
      @Nullable String registryUrl) {

    @Override
    public String toString() {
      return command + ", process " + process;
    }
  }

  /** Thrown where the directory is somebody else's at the moment. */
  static final class TakenException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Holder holder;

    private TakenException(Holder holder) {
      super(holder.toString());
      this.holder = holder;
    }

    Holder holder() {
      return holder;
    }
  }

  /**
   * Claims a directory.
   *
   * @param command who asks, for instance {@code p3o demo}
   * @throws ConfigException if somebody works there, naming the process
   */
  public static WorkDirectoryClaim take(WorkDirectory directory, String command) {
    return take(directory, command, WORK_DIRECTORY);
  }

  /**
   * Claims a directory.
   *
   * @param command who asks, for instance {@code p3o experiment}
   * @param option how the directory was given, for instance {@code --out}
   * @throws ConfigException if somebody works there, naming the process
   */
  public static WorkDirectoryClaim take(WorkDirectory directory, String command, String option) {
    try {
      return tryTake(directory, command);
    } catch (TakenException e) {
      throw inUse(directory, e.holder(), option);
    }
  }

  static ConfigException inUse(WorkDirectory directory, Holder holder) {
    return inUse(directory, holder, WORK_DIRECTORY);
  }

  private static ConfigException inUse(WorkDirectory directory, Holder holder, String option) {
    return new ConfigException(
        option + ": " + directory.root() + " is in use by " + holder + "; wait for it or end it");
  }

  /**
   * The same for those who can do with what the holder serves. A file that turns out to be locked
   * is left open: where the holder is this process, closing it would take the lock away.
   */
  static WorkDirectoryClaim tryTake(WorkDirectory directory, String command) throws TakenException {
    Path path = directory.root().resolve(FILE_NAME);
    try {
      FileChannel file = FileChannel.open(path, READ, WRITE, CREATE);
      try {
        if (file.tryLock() == null) {
          Holder holder = holder(read(file));
          file.close();
          throw new TakenException(holder);
        }
      } catch (OverlappingFileLockException e) { // this very process holds it; a close would unlock
        throw new TakenException(holder(read(file)));
      }
      WorkDirectoryClaim claim = new WorkDirectoryClaim(file, new Properties());
      claim.holder.setProperty("command", command);
      claim.holder.setProperty("process", Long.toString(ProcessHandle.current().pid()));
      claim.write();
      return claim;
    } catch (IOException e) {
      throw new ConfigException("--work-dir: cannot write " + path + ": " + e);
    }
  }

  /** Tells others where broker and registry are, for as long as this is held. */
  public void serve(LocalStack stack) {
    holder.setProperty("bootstrapServers", stack.bootstrapServers());
    holder.setProperty("registryUrl", stack.registryUrl());
    try {
      write();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + FILE_NAME, e);
    }
  }

  @Override
  public void close() {
    try {
      file.truncate(0);
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close " + FILE_NAME, e);
    }
  }

  private void write() throws IOException {
    StringWriter text = new StringWriter();
    holder.store(text, null);
    file.truncate(0);
    file.write(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.ISO_8859_1)), 0);
  }

  private static Properties read(FileChannel file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
    file.read(bytes, 0);
    Properties properties = new Properties();
    properties.load(
        new StringReader(
            new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1)));
    return properties;
  }

  private static Holder holder(Properties written) {
    return new Holder(
        written.getProperty("command", "another command"),
        written.getProperty("process", "unknown"),
        written.getProperty("bootstrapServers"),
        written.getProperty("registryUrl"));
  }
}
