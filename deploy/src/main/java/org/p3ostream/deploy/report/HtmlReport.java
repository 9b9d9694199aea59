package org.p3ostream.deploy.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.p3ostream.streams.web.WebAsset;

/** A report as one HTML page that loads nothing: styles, scripts and data are in it. */
public final class HtmlReport {

  /** By this the page is known as one of ours. */
  static final String MARK = "<meta name=\"generator\" content=\"p3o-stream report\">";

  private static final Pattern PLACE = Pattern.compile("\\{\\{(\\w+)}}");

  private HtmlReport() {}

  /** The page. */
  public static String render(RunReport report) {
    return fill(
        resource("report.html"),
        Map.of(
            "mark", MARK,
            "uplotCss", inStyle(WebAsset.UPLOT_CSS.text()),
            "plotsCss", inStyle(WebAsset.PLOTS_CSS.text()),
            "uplotJs", inScript(WebAsset.UPLOT_JS.text()),
            "plotsJs", inScript(WebAsset.PLOTS_JS.text()),
            "reportJs", inScript(resource("report.js")),
            "uplotLicense", escaped(WebAsset.UPLOT_LICENSE.text()),
            "data", inScript(ReportJson.of(report))));
  }

  /** Fills every place once; what is filled in is not looked at again. */
  private static String fill(String template, Map<String, String> parts) {
    Matcher places = PLACE.matcher(template);
    StringBuilder page = new StringBuilder();
    while (places.find()) {
      String part = parts.get(places.group(1));
      if (part == null) {
        throw new IllegalStateException("report.html: nothing to put at " + places.group());
      }
      places.appendReplacement(page, Matcher.quoteReplacement(part));
    }
    places.appendTail(page);
    return page.toString();
  }

  private static String inScript(String text) {
    return without("</script", text);
  }

  private static String inStyle(String text) {
    return without("</style", text);
  }

  private static String without(String end, String text) {
    if (text.toLowerCase(Locale.ROOT).contains(end)) {
      throw new IllegalStateException(end + " would end the element it stands in");
    }
    return text;
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String resource(String name) {
    try (InputStream stream = HtmlReport.class.getResourceAsStream(name)) {
      if (stream == null) {
        throw new IllegalStateException("not on the class path: " + name);
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + name, e);
    }
  }
}
