package org.p3ostream.tests.views;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.p3ostream.deploy.stack.FreePorts;

/** A way to a server on this host that can be cut and mended. */
final class Relay implements AutoCloseable {
  private final int targetPort;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private ServerSocket entrance;

  Relay(int targetPort) throws IOException {
    this.targetPort = targetPort;
    this.entrance = listen(FreePorts.onLoopback(1).get(0));
  }

  /** Where it begins; stays the same. */
  int port() {
    return entrance.getLocalPort();
  }

  /** Breaks every connection, and lets no other begin. */
  void cut() throws IOException {
    entrance.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  /** Lets connections begin again. */
  void mend() throws IOException {
    entrance = listen(port());
  }

  @Override
  public void close() throws IOException {
    cut();
  }

  private ServerSocket listen(int port) throws IOException {
    ServerSocket listening = new ServerSocket();
    listening.setReuseAddress(true);
    listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    start(
        () -> {
          while (!listening.isClosed()) {
            Socket here = listening.accept();
            open.add(here);
            if (listening.isClosed()) {
              here.close(); // cut looked before it was there
            }
            start(() -> connect(here));
          }
        });
    return listening;
  }

  private void connect(Socket here) throws IOException {
    try {
      Socket there = new Socket(InetAddress.getLoopbackAddress(), targetPort);
      open.add(there);
      start(() -> copy(here, there));
      copy(there, here);
    } finally {
      here.close(); // also where nobody answers
      open.remove(here);
    }
  }

  private void copy(Socket from, Socket to) throws IOException {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      in.transferTo(out);
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                return; // cut
              }
            });
    thread.setDaemon(true);
    thread.start();
  }
}
