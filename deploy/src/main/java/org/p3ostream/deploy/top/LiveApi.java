package org.p3ostream.deploy.top;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Asks the HTTP server of the metrics. */
final class LiveApi {

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final ObjectMapper JSON = new ObjectMapper();

  private final URI base;
  private final @Nullable String token;
  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(PATIENCE)
          .proxy(HttpClient.Builder.NO_PROXY)
          .version(HttpClient.Version.HTTP_1_1)
          .build();

  /**
   * @param base address of the server, for instance {@code http://127.0.0.1:8089/}
   * @param token sent as bearer token; null for none
   */
  LiveApi(URI base, @Nullable String token) {
    this.base = base;
    this.token = token;
  }

  URI base() {
    return base;
  }

  /**
   * The answer at {@code path}; a missing node if the server has none, or none yet.
   *
   * @throws IOException if nobody answers, or with something else than JSON
   */
  JsonNode get(String path) throws IOException, InterruptedException {
    HttpResponse<String> response = ask(path);
    return switch (response.statusCode()) {
      case 200 -> parse(path, response.body());
      case 404, 503 -> MissingNode.getInstance();
      case 401, 403 ->
          throw new RefusedException(
              base.resolve(path) + " asks for a token that it was not given");
      default ->
          throw new IOException(
              base.resolve(path) + " answers with status " + response.statusCode());
    };
  }

  /**
   * The answer at {@code path}, which every server of the metrics has.
   *
   * @throws IOException if nobody answers, or somebody else does
   */
  JsonNode required(String path) throws IOException, InterruptedException {
    JsonNode answer = get(path);
    if (answer.isMissingNode()) {
      throw new IOException(base.resolve(path) + " is not there: is this p3o streams?");
    }
    return answer;
  }

  /** What the readiness check says, whatever its status; see {@link #get}. */
  JsonNode health() throws IOException, InterruptedException {
    HttpResponse<String> response = ask("/health/ready");
    return response.body().isEmpty()
        ? MissingNode.getInstance()
        : parse("/health/ready", response.body());
  }

  private HttpResponse<String> ask(String path) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve(path)).timeout(PATIENCE);
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode parse(String path, String body) throws IOException {
    try {
      return JSON.readTree(body);
    } catch (JsonProcessingException e) {
      throw new IOException(
          base.resolve(path) + " does not answer in JSON: is this p3o streams?", e);
    }
  }
}
