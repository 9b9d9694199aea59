package org.p3ostream.deploy.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class FreePortsTest {

  @Test
  void onLoopbackGivesDifferentPortsThatCanBeBound() throws Exception {
    var ports = FreePorts.onLoopback(20);
    assertThat(ports).hasSize(20).doesNotHaveDuplicates();
    for (int port : ports) {
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        assertThat(socket.getLocalPort()).isEqualTo(port);
      }
    }
  }

  @Test
  void onLoopbackStaysBelowThePortsOfOutgoingConnections() {
    assertThat(FreePorts.onLoopback(50)).allMatch(port -> port < 32_768);
  }
}
