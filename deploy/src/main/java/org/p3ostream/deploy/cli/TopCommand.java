package org.p3ostream.deploy.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.top.RefusedException;
import org.p3ostream.deploy.top.Top;
import org.p3ostream.deploy.workdirectory.WorkDirectory;
import org.p3ostream.streams.config.StreamsConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code p3o top}. */
@Command(
    name = "top",
    description =
        "Shows a run on the terminal, as the server of p3o streams sees it: state, reward, ESS and"
            + " cap, staleness, lag, throughput, phases, producers and what to look at. q or Ctrl-C"
            + " ends. Where the output is no terminal, one view is printed.",
    mixinStandardHelpOptions = true)
final class TopCommand implements Callable<Integer> {

  private static final Duration STOP_GRACE = Duration.ofSeconds(6);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "Address of the server (default: streams.host and streams.port).")
  private @Nullable URI url;

  @Option(names = "--config", paramLabel = "FILE", description = "YAML configuration file.")
  private @Nullable Path file;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description = "Instead of a configuration: work directory of a demo that is up.")
  private @Nullable Path workDirectory;

  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      description = "Overrides one value, for instance streams.port=8090. Repeatable.")
  private List<String> overrides = new ArrayList<>();

  @Option(
      names = "--interval",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How often to look (default: 1s).")
  private Duration interval = Duration.ofSeconds(1);

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "Holds the token that the server asks for (default: streams.token).")
  private @Nullable Path tokenFile;

  @Option(names = "--once", description = "Prints one view and ends.")
  private boolean once;

  @Override
  public Integer call() throws Exception {
    if (interval.compareTo(Duration.ofMillis(100)) < 0) {
      throw new ConfigException("--interval: " + interval.toMillis() + "ms must be >= 100ms");
    }
    StreamsConfig streams = ConfigLoader.load(configuration(), overrides).streams();
    URI server = url == null ? address(streams) : requireHttp(url);
    Top top = new Top(server, token(streams), interval);
    try (Interruption interruption = new Interruption(top::stop, STOP_GRACE)) {
      if (once || !Boolean.getBoolean(DemoCommand.TERMINAL_PROPERTY) || !top.show()) {
        print(top, server);
      }
    }
    return ExitCode.DONE;
  }

  private void print(Top top, URI server) throws InterruptedException {
    try {
      top.once(spec.commandLine().getOut());
    } catch (RefusedException e) {
      throw new IllegalStateException(
          server + " asks for a token: give --token-file or streams.token", e);
    } catch (IOException e) {
      throw new IllegalStateException(
          "nobody answers at " + server + ": is p3o streams up? (" + reason(e) + ")", e);
    }
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  private static URI address(StreamsConfig streams) {
    String scheme = streams.tlsCertificatePath() == null ? "http" : "https";
    return URI.create("%s://%s:%d/".formatted(scheme, streams.host(), streams.port()));
  }

  private @Nullable String token(StreamsConfig streams) {
    if (tokenFile == null) {
      return streams.token();
    }
    try {
      return Files.readString(tokenFile).strip();
    } catch (IOException e) {
      throw new ConfigException("--token-file: " + tokenFile + " cannot be read");
    }
  }

  private @Nullable Path configuration() {
    if (workDirectory == null) {
      return file;
    }
    if (file != null) {
      throw new ConfigException("--work-dir: cannot stand beside --config: give one of the two");
    }
    Path written = WorkDirectory.existing(workDirectory.toAbsolutePath()).configuration();
    if (!written.toFile().exists()) {
      throw new ConfigException("--work-dir: " + workDirectory + " holds no configuration yet");
    }
    return written;
  }

  private static URI requireHttp(URI url) {
    String scheme = String.valueOf(url.getScheme());
    if (!(scheme.equals("http") || scheme.equals("https")) || url.getHost() == null) {
      throw new ConfigException(
          "--url: '" + url + "' must be an address like http://127.0.0.1:8089/");
    }
    return url;
  }
}
