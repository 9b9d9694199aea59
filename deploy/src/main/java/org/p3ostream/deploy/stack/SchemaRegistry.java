package org.p3ostream.deploy.stack;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A schema registry with the Confluent REST interface (Apicurio) as a child JVM on the loopback
 * interface. Schemas are kept in a file database that writes through, so that an acknowledged
 * registration survives a kill.
 */
public final class SchemaRegistry implements AutoCloseable {

  /** A start takes seconds, on a crowded machine a minute; one that failed is noticed at once. */
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

  private static final String CONFLUENT_API = "/apis/ccompat/v7";

  private final Path directory;
  private final int port;
  private final int managementPort;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(1))
          .build();
  private ChildProcess process;

  private SchemaRegistry(Path directory, int port, int managementPort) {
    this.directory = directory;
    this.port = port;
    this.managementPort = managementPort;
    this.process = launchProcess();
  }

  /**
   * Launches a registry without waiting for it.
   *
   * @param directory database and log of the registry; created if missing
   * @param port port on 127.0.0.1; 0 takes a free one
   */
  public static SchemaRegistry launch(Path directory, int port) {
    List<Integer> free = FreePorts.onLoopback(2);
    Path absolute = directory.toAbsolutePath();
    new RegistryDatabase(absolute).begin();
    return new SchemaRegistry(absolute, port == 0 ? free.get(0) : port, free.get(1));
  }

  /** Value of {@code schema.registry.url}. */
  public String url() {
    return "http://127.0.0.1:" + port + CONFLUENT_API;
  }

  public ChildProcess process() {
    return process;
  }

  /** Returns once the registry lists its subjects. */
  public void awaitReady() {
    Readiness.await(process, START_TIMEOUT, this::listsSubjects);
    new RegistryDatabase(directory).finish();
  }

  /** Starts the registry again on its old port and database, and waits for it. Ends it first. */
  public void restart() {
    process.close();
    process = launchProcess();
    awaitReady();
  }

  @Override
  public void close() {
    process.close();
  }

  private ChildProcess launchProcess() {
    RegistryHome home = RegistryHome.locate();
    Path temporary = directory.resolve("tmp");
    try {
      Files.createDirectories(temporary);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create " + temporary, e);
    }
    return ChildProcess.start(
        new JvmCommand(
                "registry",
                home.runner()
                    + File.pathSeparator
                    + ownLocation(), // the archive is of the runner alone
                List.of(
                    "-Xmx384m",
                    "-Djava.io.tmpdir=" + temporary,
                    "-Dquarkus.http.host=127.0.0.1",
                    "-Dquarkus.http.port=" + port,
                    "-Dquarkus.management.host=127.0.0.1",
                    "-Dquarkus.management.port=" + managementPort,
                    "-Dapicurio.storage.kind=sql",
                    "-Dapicurio.storage.sql.kind=h2",
                    "-Dapicurio.datasource.url=" + new RegistryDatabase(directory).url(),
                    "-Dapicurio.datasource.username=sa",
                    "-Dapicurio.datasource.password=sa"),
                home.mainClass(),
                List.of(),
                Map.of(),
                directory,
                directory.resolve("registry.log"),
                false)
            .withQuickWarmUp()
            .withJvmFlags(ClassArchive.REGISTRY.jvmFlags())
            .asTheOnlyOne());
  }

  /** Jar or folder that holds {@link ChildMain}. */
  private static Path ownLocation() {
    try {
      return Path.of(ChildMain.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("cannot tell where " + ChildMain.class + " lies", e);
    }
  }

  private boolean listsSubjects() {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url() + "/subjects"))
            .timeout(Duration.ofSeconds(5))
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the registry", e);
    }
  }
}
