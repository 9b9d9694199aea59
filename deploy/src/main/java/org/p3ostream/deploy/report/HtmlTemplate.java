package org.p3ostream.deploy.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.p3ostream.streams.web.WebAsset;

/**
 * Makes pages that load nothing: a template with {@code {{NAME}}} where its parts go. Charting
 * library, charts and their style are parts of every page.
 */
public final class HtmlTemplate {

  /** By this a page is known as one of ours. */
  static final String MARK = "<meta name=\"generator\" content=\"p3o-stream report\">";

  private static final Pattern PLACE = Pattern.compile("\\{\\{(\\w+)}}");
  private static final ObjectMapper JSON = new ObjectMapper();

  private HtmlTemplate() {}

  /**
   * The page.
   *
   * @param owner class beside which template and scripts lie
   * @param script name of the script that fills the page from its data, part {@code pageJs}
   * @param data JSON that {@link #inScript} gave, part {@code data}
   */
  public static String fill(Class<?> owner, String template, String script, String data) {
    Map<String, String> parts = new HashMap<>();
    parts.put("mark", MARK);
    parts.put("uplotCss", inStyle(WebAsset.UPLOT_CSS.text()));
    parts.put("plotsCss", inStyle(WebAsset.PLOTS_CSS.text()));
    parts.put("uplotJs", requireInScript(WebAsset.UPLOT_JS.text()));
    parts.put("plotsJs", requireInScript(WebAsset.PLOTS_JS.text()));
    parts.put("pageJs", requireInScript(resource(owner, script)));
    parts.put("uplotLicense", escaped(WebAsset.UPLOT_LICENSE.text()));
    parts.put("data", requireInScript(data));
    return fill(resource(owner, template), template, parts);
  }

  /** JSON that may stand inside a script element: nothing in it ends the element or a line. */
  public static String inScript(JsonNode data) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory(JSON).createGenerator(text)) {
      json.setCharacterEscapes(new ScriptEscapes());
      json.writeTree(data);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a StringWriter throws none
    }
    return text.toString();
  }

  /** Fills every place once; what is filled in is not looked at again. */
  private static String fill(String text, String template, Map<String, String> parts) {
    Matcher places = PLACE.matcher(text);
    StringBuilder page = new StringBuilder();
    while (places.find()) {
      String part = parts.get(places.group(1));
      if (part == null) {
        throw new IllegalStateException(template + ": nothing to put at " + places.group());
      }
      places.appendReplacement(page, Matcher.quoteReplacement(part));
    }
    places.appendTail(page);
    return page.toString();
  }

  private static String requireInScript(String text) {
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

  private static String resource(Class<?> owner, String name) {
    try (InputStream stream = owner.getResourceAsStream(name)) {
      if (stream == null) {
        throw new IllegalStateException("not on the class path: " + name);
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + name, e);
    }
  }
}
