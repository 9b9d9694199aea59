package org.p3ostream.deploy.stack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that nobody listens on at the moment. They are drawn from below the range that operating
 * systems give to outgoing connections, so that no client takes one between the draw and its use.
 */
public final class FreePorts {

  private static final int FIRST = 15_000;
  private static final int END = 32_000;
  private static final int MAX_DRAWS = 1_000;

  private FreePorts() {}

  /** {@code count} different free ports of the loopback interface. */
  public static List<Integer> onLoopback(int count) {
    Set<Integer> ports = new LinkedHashSet<>();
    for (int draw = 0; ports.size() < count; draw++) {
      if (draw == MAX_DRAWS) {
        throw new IllegalStateException(
            "no " + count + " free ports between " + FIRST + " and " + END);
      }
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      if (isFree(port)) {
        ports.add(port);
      }
    }
    return new ArrayList<>(ports);
  }

  /** Whether nobody listens on {@code port} of the loopback interface. */
  public static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
