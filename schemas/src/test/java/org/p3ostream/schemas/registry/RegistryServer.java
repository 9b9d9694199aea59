package org.p3ostream.schemas.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A small schema registry in this process, with faults on demand: what the HTTP behaviour of the
 * client is tested against. Whether the client suits a real registry is tested elsewhere.
 */
public final class RegistryServer implements AutoCloseable {

  /** What to answer instead of the truth. */
  private record Fault(int status, String body) {}

  private final ObjectMapper json = new ObjectMapper();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final HttpServer server;
  private final String scheme;

  private final List<String> requests = new ArrayList<>();
  private final Deque<Fault> faults = new ArrayDeque<>();
  private final Map<String, List<Integer>> subjects = new HashMap<>();
  private final Map<Integer, ObjectNode> schemas = new HashMap<>();
  private final Map<String, String> levels = new HashMap<>();
  private String authorization = "";
  private String forcedLevel = "";
  private boolean anotherClientIsFirst;
  private Stall stall = Stall.NEVER;

  /** Where an answer gets stuck. */
  public enum Stall {
    NEVER,
    BEFORE_HEADERS,
    INSIDE_BODY
  }

  public RegistryServer() throws IOException {
    this(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0), "http");
  }

  RegistryServer(HttpServer server, String scheme) {
    this.server = server;
    this.scheme = scheme;
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  public String url() {
    return scheme + "://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Configuration of a client of this server that retries once. */
  public RegistryConfig config() {
    return new RegistryConfig(
        url(), null, null, Duration.ofSeconds(5), Duration.ofSeconds(20), 1, null, null);
  }

  /** All requests so far as {@code METHOD path}. */
  public synchronized List<String> requests() {
    return List.copyOf(requests);
  }

  /** The next {@code times} requests are answered with {@code status}. */
  public synchronized void failNext(int times, int status, String body) {
    for (int i = 0; i < times; i++) {
      faults.add(new Fault(status, body));
    }
  }

  public synchronized void requireUser(String username, String password) {
    String userInfo = username + ":" + password;
    authorization =
        "Basic " + Base64.getEncoder().encodeToString(userInfo.getBytes(StandardCharsets.UTF_8));
  }

  public synchronized void stall(Stall where) {
    stall = where;
  }

  /** From now on every subject reports this level, whatever is set. */
  public synchronized void reportLevel(String level) {
    forcedLevel = level;
  }

  /** Whoever sets a level from now on finds that another client has just done so. */
  public synchronized void letAnotherClientBeFirst() {
    anotherClientIsFirst = true;
  }

  public synchronized String level(String subject) {
    return levels.getOrDefault(subject, "");
  }

  /** Text registered under {@code id}. */
  public synchronized String schemaText(int id) {
    return schemas.get(id).path("schema").asText();
  }

  /** Puts a schema of any type into the registry. */
  public synchronized int add(String subject, String type, String text) {
    ObjectNode schema = json.createObjectNode().put("schema", text);
    if (!type.equals("AVRO")) {
      schema.put("schemaType", type);
    }
    return idOf(subject, schema);
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    Fault answer;
    Stall stuck;
    synchronized (this) {
      requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getRawPath());
      stuck = stall;
      answer = answer(exchange, body);
    }
    if (stuck == Stall.BEFORE_HEADERS) {
      awaitClosing();
    }
    byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
    if (stuck == Stall.INSIDE_BODY) {
      exchange.getResponseBody().write(bytes, 0, bytes.length / 2);
      exchange.getResponseBody().flush();
      awaitClosing();
    }
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  private void awaitClosing() {
    try {
      closing.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Fault answer(HttpExchange exchange, byte[] body) throws IOException {
    if (!faults.isEmpty()) {
      return faults.remove();
    }
    String given = exchange.getRequestHeaders().getFirst("Authorization");
    if (!authorization.isEmpty() && !authorization.equals(given)) {
      return error(401, 40101, "unauthorized");
    }
    String[] path = exchange.getRequestURI().getRawPath().substring(1).split("/", -1);
    String route = exchange.getRequestMethod() + " " + path[0] + " " + path.length;
    JsonNode request = body.length == 0 ? json.nullNode() : json.readTree(body);
    return switch (route) {
      case "GET subjects 1" -> ok(json.valueToTree(subjects.keySet()));
      case "POST subjects 3" -> register(decoded(path[1]), request);
      case "POST subjects 2" -> lookUp(decoded(path[1]), request);
      case "GET schemas 3" -> schema(Integer.parseInt(path[2]));
      case "GET config 2" -> config(decoded(path[1]));
      case "PUT config 2" -> setConfig(decoded(path[1]), request);
      default -> new Fault(404, "");
    };
  }

  private Fault register(String subject, JsonNode request) {
    return ok(json.createObjectNode().put("id", idOf(subject, (ObjectNode) request)));
  }

  private int idOf(String subject, ObjectNode schema) {
    int id =
        schemas.entrySet().stream()
            .filter(entry -> entry.getValue().equals(schema))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElse(schemas.size() + 1);
    schemas.put(id, schema);
    List<Integer> versions = subjects.computeIfAbsent(subject, name -> new ArrayList<>());
    if (!versions.contains(id)) {
      versions.add(id);
    }
    return id;
  }

  private Fault lookUp(String subject, JsonNode request) {
    List<Integer> versions = subjects.get(subject);
    if (versions == null) {
      return error(404, 40401, "Subject not found");
    }
    for (int id : versions) {
      if (schemas.get(id).equals(request)) {
        return ok(
            json.createObjectNode()
                .put("subject", subject)
                .put("id", id)
                .put("version", versions.indexOf(id) + 1));
      }
    }
    return error(404, 40403, "Schema not found");
  }

  private Fault schema(int id) {
    ObjectNode schema = schemas.get(id);
    return schema == null ? error(404, 40403, "Schema not found") : ok(schema);
  }

  private Fault config(String subject) {
    String level = forcedLevel.isEmpty() ? levels.get(subject) : forcedLevel;
    return level == null
        ? error(404, 40408, "no level for the subject")
        : ok(json.createObjectNode().put("compatibilityLevel", level));
  }

  private Fault setConfig(String subject, JsonNode request) {
    levels.put(subject, request.path("compatibility").asText());
    return anotherClientIsFirst ? error(409, 0, "a level exists already") : ok(request);
  }

  private Fault ok(JsonNode body) {
    return new Fault(200, body.toString());
  }

  private Fault error(int status, int code, String message) {
    return new Fault(
        status, json.createObjectNode().put("error_code", code).put("message", message).toString());
  }

  private static String decoded(String segment) {
    return URLDecoder.decode(segment, StandardCharsets.UTF_8);
  }
}
