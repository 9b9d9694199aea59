package org.p3ostream.policy.torch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Script texts that lie beside the class that uses them, with {@code ${NAME}} where figures go. */
public final class ScriptResource {

  private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(\\w+)}");

  private ScriptResource() {}

  /**
   * The text of a resource with its figures filled in.
   *
   * @param owner class beside which the resource lies
   * @param figures text of every figure by name
   * @throws IllegalArgumentException if there is no such resource or a figure is missing
   */
  public static String of(Class<?> owner, String resource, Map<String, String> figures) {
    Matcher placeholder = PLACEHOLDER.matcher(read(owner, resource));
    return placeholder.replaceAll(
        match -> {
          String figure = figures.get(match.group(1));
          if (figure == null) {
            throw new IllegalArgumentException("no figure for ${" + match.group(1) + "}");
          }
          return figure;
        });
  }

  private static String read(Class<?> owner, String resource) {
    try (InputStream stream = owner.getResourceAsStream(resource)) {
      if (stream == null) {
        throw new IllegalArgumentException(
            "no resource " + resource + " beside " + owner.getName());
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("reading resource " + resource, e);
    }
  }
}
