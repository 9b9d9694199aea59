package org.p3ostream.rolloutproducer.backlog;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How often the prompt at a committed offset was started, as text in the metadata of that offset.
 * It is committed when sampling starts and replaced when the result is, so that it survives only a
 * producer that ended in between.
 */
public final class StartCount {
  private static final Pattern FORMAT = Pattern.compile("starts=(\\d{1,6})");

  private StartCount() {}

  public static String toMetadata(int starts) {
    return "starts=" + starts;
  }

  /** Inverse of {@link #toMetadata}; 0 for metadata of any other form. */
  public static int fromMetadata(String metadata) {
    Matcher matcher = FORMAT.matcher(metadata);
    return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
  }
}
