package org.p3ostream.deploy.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import org.p3ostream.deploy.stack.ChildProcess;

/** Whether the live view answers. */
final class LiveView {

  private static final long POLL_MILLIS = 50;
  private static final int MAX_POLLS = 400;

  private LiveView() {}

  /**
   * Returns once somebody listens on {@code port}, or after 20 s: a slow machine is no reason not
   * to train.
   *
   * @throws org.p3ostream.deploy.stack.ChildDiedException if {@code streams} ends before
   */
  static void await(int port, ChildProcess streams) throws InterruptedException {
    for (int poll = 0; poll < MAX_POLLS && !answers(port); poll++) {
      streams.requireAlive();
      Thread.sleep(POLL_MILLIS);
    }
  }

  private static boolean answers(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}
