package org.p3ostream.streams.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** One file of the web pages. */
public enum WebAsset {
  /** The dashboard. */
  LIVE_HTML("/", "text/html", ours("live.html")),
  LIVE_CSS("/assets/live.css", "text/css", ours("live.css")),
  /** Follows the run. */
  LIVE_JS("/assets/live.js", "text/javascript", ours("live.js")),
  /** Panels beside the charts: alerts, producers, staleness, latency, versions. */
  PANELS_JS("/assets/panels.js", "text/javascript", ours("panels.js")),
  /** Prompts and responses. */
  SAMPLES_JS("/assets/samples.js", "text/javascript", ours("samples.js")),
  /** Asks a browser for the token. */
  SIGN_IN_HTML("/sign-in", "text/html", ours("sign-in.html")),
  /** What the API answers, in OpenAPI 3.1. */
  OPENAPI("/api/openapi.json", "application/json", ours("openapi.json")),
  /** Charts, their captions and the switch between light and dark. */
  PLOTS_JS("/assets/plots.js", "text/javascript", ours("plots.js")),
  PLOTS_CSS("/assets/plots.css", "text/css", ours("plots.css")),
  UPLOT_JS("/assets/uPlot.js", "text/javascript", uplot("dist/uPlot.iife.min.js")),
  UPLOT_CSS("/assets/uPlot.css", "text/css", uplot("dist/uPlot.min.css")),
  /** Licence of the charting library, which every copy of it carries. */
  UPLOT_LICENSE("/assets/uPlot-LICENSE.txt", "text/plain", uplot("LICENSE"));

  private final String path;
  private final String mediaType;
  private final String text;

  WebAsset(String path, String mediaType, String text) {
    this.path = path;
    this.mediaType = mediaType;
    this.text = text;
  }

  /** Where the server of the live page has it. */
  public String path() {
    return path;
  }

  /** Media type with its character set. */
  public String contentType() {
    return mediaType + "; charset=utf-8";
  }

  public String text() {
    return text;
  }

  private static String ours(String name) {
    return read("/org/p3ostream/streams/web/" + name);
  }

  /** The version is part of the path; the library's own jar tells it. */
  private static String uplot(String name) {
    return read("/META-INF/resources/webjars/uplot/" + uplotVersion() + "/" + name);
  }

  private static String uplotVersion() {
    Properties properties = new Properties();
    try (InputStream stream = open("/META-INF/maven/org.webjars.npm/uplot/pom.properties")) {
      properties.load(stream);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the version of uPlot", e);
    }
    return properties.getProperty("version");
  }

  private static String read(String resource) {
    try (InputStream stream = open(resource)) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }

  private static InputStream open(String resource) {
    InputStream stream = WebAsset.class.getResourceAsStream(resource);
    if (stream == null) {
      throw new IllegalStateException("not on the class path: " + resource);
    }
    return stream;
  }
}
