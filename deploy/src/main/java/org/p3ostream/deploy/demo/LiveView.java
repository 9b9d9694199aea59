package org.p3ostream.deploy.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import org.p3ostream.deploy.progress.ProgressLine;

/** Tells the address of the live view, once, as soon as somebody answers there. */
final class LiveView {

  private final PrintStream out;
  private final int port;
  private boolean told;

  LiveView(PrintStream out, int port) {
    this.out = out;
    this.port = port;
  }

  /** Looks and tells; afterwards does nothing. */
  void tellOnceUp(ProgressLine progress) {
    if (!told && answers()) {
      progress.end();
      out.println("live view " + address());
      told = true;
    }
  }

  String address() {
    return "http://127.0.0.1:" + port + "/";
  }

  private boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}
