package org.p3ostream.streams.config;

import java.util.Locale;
import java.util.regex.Pattern;

/** Which names of hosts mean the own one. Judged by the text: nothing is looked up. */
public final class LoopbackAddress {
  private static final Pattern OF_VERSION_4 =
      Pattern.compile("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");

  private LoopbackAddress() {}

  /** Whether {@code host}, a name or an address with or without brackets, is loopback. */
  public static boolean is(String host) {
    String plain = host.toLowerCase(Locale.ROOT);
    return plain.equals("localhost")
        || plain.equals("::1")
        || plain.equals("[::1]")
        || OF_VERSION_4.matcher(plain).matches();
  }
}
