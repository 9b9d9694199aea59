package org.p3ostream.tests.views;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.p3ostream.deploy.stack.FreePorts;

/** Chromium without a window, driven over the WebDriver protocol. Files go to {@code target}. */
final class Browser implements AutoCloseable {
  static final int DESKTOP = 1280;
  static final int PHONE = 390;

  static final String TAB = "\uE004";
  static final String ENTER = "\uE007";
  static final String ARROW_RIGHT = "\uE014";

  private static final Path SCREENSHOTS = Path.of("target", "screenshots");
  private static final Duration PATIENCE = Duration.ofSeconds(180);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Process driver;
  private final String address;
  private final String session;

  private Browser(Process driver, String address, String session) {
    this.driver = driver;
    this.address = address;
    this.session = session;
  }

  /** Starts a browser; aborts the test, naming what is missing, where there is none. */
  static Browser startOrSkip() throws Exception {
    Optional<Path> chromium = onPath("chromium", "chromium-browser", "google-chrome");
    Optional<Path> chromedriver = onPath("chromedriver");
    Assumptions.assumeTrue(
        chromium.isPresent() && chromedriver.isPresent(),
        () ->
            "not on the PATH: "
                + (chromium.isPresent() ? "" : "chromium ")
                + (chromedriver.isPresent() ? "" : "chromedriver ")
                + "(Debian: apt-get install chromium chromium-driver)");
    Files.createDirectories(SCREENSHOTS);
    int port = FreePorts.onLoopback(1).get(0);
    Process driver =
        new ProcessBuilder(chromedriver.get().toString(), "--port=" + port)
            .redirectErrorStream(true)
            .redirectOutput(Path.of("target", "chromedriver.log").toFile())
            .start();
    String address = "http://127.0.0.1:" + port;
    try {
      Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> ready(address));
      JsonNode opened = call("POST", address + "/session", capabilities(chromium.get()));
      return new Browser(driver, address, opened.get("sessionId").asText());
    } catch (Exception | Error e) {
      driver.destroy();
      throw e;
    }
  }

  /** Width of the window, and whether the system prefers dark. */
  void emulate(int width, boolean dark) throws Exception {
    command(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", width < 500));
    command(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
  }

  /** Presses a key and lets it go; keys without a character as WebDriver numbers them. */
  void press(String key) throws Exception {
    call(
        "POST",
        at("/actions"),
        Map.of(
            "actions",
            List.of(
                Map.of(
                    "type",
                    "key",
                    "id",
                    "keyboard",
                    "actions",
                    List.of(
                        Map.of("type", "keyDown", "value", key),
                        Map.of("type", "keyUp", "value", key))))));
  }

  /** Opens a page and waits until it is loaded. */
  void open(URI page) throws Exception {
    call("POST", at("/url"), Map.of("url", page.toString()));
  }

  /** Value of a JavaScript expression. */
  JsonNode value(String expression) throws Exception {
    return call(
        "POST", at("/execute/sync"), Map.of("script", "return " + expression, "args", List.of()));
  }

  /** Text of the first element that matches; empty if there is none. */
  String text(String selector) throws Exception {
    return value("document.querySelector('" + selector + "')?.textContent ?? ''").asText();
  }

  /** Drags across the first element that matches, between two shares of its width. */
  void drag(String selector, double from, double to) throws Exception {
    JsonNode box = box(selector);
    point(
        move(box, from),
        Map.of("type", "pointerDown", "button", 0),
        move(box, (from + to) / 2),
        move(box, to),
        Map.of("type", "pointerUp", "button", 0));
  }

  /** Double-clicks on the middle of the first element that matches. */
  void doubleClick(String selector) throws Exception {
    Map<String, Object> down = Map.of("type", "pointerDown", "button", 0);
    Map<String, Object> up = Map.of("type", "pointerUp", "button", 0);
    point(move(box(selector), 0.5), down, up, down, up);
  }

  private JsonNode box(String selector) throws Exception {
    return value("document.querySelector('" + selector + "').getBoundingClientRect().toJSON()");
  }

  private static Map<String, Object> move(JsonNode box, double share) {
    return Map.of(
        "type",
        "pointerMove",
        "duration",
        50,
        "x",
        (int) (box.get("left").asDouble() + share * box.get("width").asDouble()),
        "y",
        (int) (box.get("top").asDouble() + box.get("height").asDouble() / 2));
  }

  @SafeVarargs
  private void point(Map<String, Object>... actions) throws Exception {
    call(
        "POST",
        at("/actions"),
        Map.of(
            "actions",
            List.of(Map.of("type", "pointer", "id", "mouse", "actions", List.of(actions)))));
  }

  /** What the page wrote to the console, and what the browser complained of, since last asked. */
  List<String> complaints() throws Exception {
    List<String> messages = new ArrayList<>();
    log("browser").forEach(entry -> messages.add(entry.get("message").asText()));
    return messages;
  }

  /** Addresses that were asked for since last asked. */
  List<URI> requests() throws Exception {
    List<URI> addresses = new ArrayList<>();
    for (JsonNode entry : log("performance")) {
      JsonNode message = JSON.readTree(entry.get("message").asText()).get("message");
      if (message.get("method").asText().equals("Network.requestWillBeSent")) {
        addresses.add(URI.create(message.at("/params/request/url").asText()));
      }
    }
    return addresses;
  }

  /** The whole page, however long, as {@code target/screenshots/NAME.png}. */
  void screenshot(String name) throws Exception {
    screenshot(name, value("document.documentElement.scrollHeight").asInt());
  }

  /** The top of the page. */
  void screenshot(String name, int height) throws Exception {
    JsonNode shot =
        command(
            "Page.captureScreenshot",
            Map.of(
                "captureBeyondViewport",
                true,
                "clip",
                Map.of(
                    "x", 0, "y", 0, "width", value("innerWidth"), "height", height, "scale", 1)));
    Files.write(
        SCREENSHOTS.resolve(name + ".png"), Base64.getDecoder().decode(shot.get("data").asText()));
  }

  @Override
  public void close() throws Exception {
    try {
      call("DELETE", address + "/session/" + session, null);
    } finally {
      driver.destroy();
      driver.waitFor();
    }
  }

  private static boolean ready(String address) throws Exception {
    return call("GET", address + "/status", null).get("ready").asBoolean();
  }

  private static Map<String, Object> capabilities(Path chromium) {
    return Map.of(
        "capabilities",
        Map.of(
            "alwaysMatch",
            Map.of(
                "goog:loggingPrefs",
                Map.of("browser", "ALL", "performance", "ALL"),
                "goog:chromeOptions",
                Map.of(
                    "binary",
                    chromium.toString(),
                    "args",
                    List.of(
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--disable-background-networking")))));
  }

  private JsonNode command(String name, Map<String, ?> parameters) throws Exception {
    return call("POST", at("/goog/cdp/execute"), Map.of("cmd", name, "params", parameters));
  }

  private JsonNode log(String type) throws Exception {
    return call("POST", at("/se/log"), Map.of("type", type));
  }

  private String at(String path) {
    return address + "/session/" + session + path;
  }

  private static JsonNode call(String method, String uri, Map<String, ?> body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(uri))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)))
            .header("Content-Type", "application/json")
            .build();
    HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IOException(method + " " + uri + ": " + response.body());
    }
    return JSON.readTree(response.body()).get("value");
  }

  private static Optional<Path> onPath(String... names) {
    return Stream.of(names)
        .flatMap(
            name ->
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                    .map(directory -> Path.of(directory, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
