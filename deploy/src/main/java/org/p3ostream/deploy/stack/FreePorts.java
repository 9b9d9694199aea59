package org.p3ostream.deploy.stack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports that nobody listens on at the moment. They lie below the range that operating systems give
 * to outgoing connections, so that no client takes one before it is used. A server may take seconds
 * to listen: so a process is given one port after the other, none twice, and begins where no other
 * process is likely to be.
 */
public final class FreePorts {

  private static final int FIRST = 15_000;
  private static final int END = 32_000;
  private static final int MAX_TRIES = 1_000;
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(END - FIRST));

  private FreePorts() {}

  /** {@code count} different free ports of the loopback interface. */
  public static List<Integer> onLoopback(int count) {
    Set<Integer> ports = new LinkedHashSet<>();
    for (int tried = 0; ports.size() < count; tried++) {
      if (tried == MAX_TRIES) {
        throw new IllegalStateException(
            "no " + count + " free ports between " + FIRST + " and " + END);
      }
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), END - FIRST);
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
