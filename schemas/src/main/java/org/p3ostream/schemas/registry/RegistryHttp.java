package org.p3ostream.schemas.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.serde.RegistryRefusedException;
import org.p3ostream.schemas.serde.RegistryUnavailableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JSON requests to one registry: time-outs, retries with growing pauses, basic authentication, TLS.
 * Thread-safe.
 */
final class RegistryHttp {

  /** How to wait between attempts. */
  interface Pause {
    void forMillis(long millis) throws InterruptedException;
  }

  private static final Logger log = LoggerFactory.getLogger(RegistryHttp.class);

  private static final String CONTENT_TYPE = "application/vnd.schemaregistry.v1+json";
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 5_000;
  private static final int MAX_QUOTED_BODY_CHARS = 200;

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient client;
  private final List<String> baseUrls;
  private final Duration requestTimeout;
  private final int retries;
  private final @Nullable String authorization;
  private final Pause pause;

  RegistryHttp(RegistryConfig config, Pause pause) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .connectTimeout(config.connectTimeout());
    if (config.trustStorePath() != null) {
      builder.sslContext(
          TrustStore.sslContext(config.trustStorePath(), config.trustStorePassword()));
    }
    this.client = builder.build();
    this.baseUrls = config.baseUrls();
    this.requestTimeout = config.requestTimeout();
    this.retries = config.retries();
    this.authorization =
        config.username() == null ? null : basic(config.username() + ":" + config.password());
    this.pause = pause;
  }

  JsonNode get(String path) {
    return exchange("GET", path, null);
  }

  JsonNode post(String path, Map<String, String> body) {
    return exchange("POST", path, body);
  }

  JsonNode put(String path, Map<String, String> body) {
    return exchange("PUT", path, body);
  }

  /**
   * @throws RegistryUnavailableException after the last attempt failed in a way that may pass
   * @throws RegistryRefusedException on any other answer than success
   */
  private JsonNode exchange(String method, String path, @Nullable Map<String, String> body) {
    BodyPublisher content =
        body == null
            ? BodyPublishers.noBody()
            : BodyPublishers.ofString(json.valueToTree(body).toString());
    long pauseMillis = FIRST_PAUSE_MILLIS;
    try {
      for (int attempt = 0; ; attempt++) {
        String address = baseUrls.get(attempt % baseUrls.size()) + path;
        try {
          return answer(method + " " + address, send(method, address, content));
        } catch (RegistryUnavailableException e) {
          if (attempt == retries) {
            throw e;
          }
          log.warn("{}; attempt {} follows in {} ms", e.getMessage(), attempt + 2, pauseMillis);
          pause.forMillis(pauseMillis);
          pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RegistryUnavailableException("interrupted during " + method + " " + path, e);
    }
  }

  private HttpResponse<String> send(String method, String address, BodyPublisher content)
      throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(address))
            .method(method, content)
            .header("Accept", CONTENT_TYPE + ", application/json")
            .header("Content-Type", CONTENT_TYPE);
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    CompletableFuture<HttpResponse<String>> response =
        client.sendAsync(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
    try {
      // The request's own time-out would end with the headers; this one covers the body too.
      return response.get(requestTimeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      response.cancel(true);
      throw new RegistryUnavailableException(
          method + " " + address + ": no answer within " + requestTimeout.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      response.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      throw new RegistryUnavailableException(method + " " + address + ": " + e.getCause(), e);
    }
  }

  private JsonNode answer(String request, HttpResponse<String> response) {
    int status = response.statusCode();
    if (status >= 500 || status == 429 || status == 408) {
      throw new RegistryUnavailableException(request + ": status " + status, null);
    }
    JsonNode body;
    try {
      body = json.readTree(response.body());
    } catch (JsonProcessingException e) {
      throw new RegistryRefusedException(
          request + ": status " + status + " without JSON: " + quoted(response), status, 0, e);
    }
    if (status / 100 != 2) {
      throw new RegistryRefusedException(
          request + ": status " + status + ": " + quoted(response) + hint(status, body),
          status,
          body.path("error_code").asInt(0),
          null);
    }
    return body;
  }

  /** A registry that does not know the path at all is usually one whose API lies elsewhere. */
  private static String hint(int status, JsonNode body) {
    return status == 404 && !body.has("error_code")
        ? "; does registry.url lack the path of the Confluent API, such as /apis/ccompat/v7?"
        : "";
  }

  private static String quoted(HttpResponse<String> response) {
    String body = response.body();
    return body.length() <= MAX_QUOTED_BODY_CHARS
        ? body
        : body.substring(0, MAX_QUOTED_BODY_CHARS) + "…";
  }

  private static String basic(String userInfo) {
    return "Basic " + Base64.getEncoder().encodeToString(userInfo.getBytes(StandardCharsets.UTF_8));
  }
}
