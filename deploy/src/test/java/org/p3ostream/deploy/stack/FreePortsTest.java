package org.p3ostream.deploy.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
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

  /** Whoever was given a port may not listen yet. */
  @Test
  void onLoopbackGivesNoPortTwiceThoughNobodyListens() {
    Set<Integer> ports = new HashSet<>();
    for (int i = 0; i < 2_000; i++) {
      assertThat(ports.add(FreePorts.onLoopback(1).get(0))).isTrue();
    }
  }

  @Test
  void onLoopbackStaysBelowThePortsOfOutgoingConnections() {
    assertThat(FreePorts.onLoopback(50)).allMatch(port -> port < 32_768);
  }
}
