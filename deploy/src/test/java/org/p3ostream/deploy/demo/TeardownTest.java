package org.p3ostream.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TeardownTest {

  private final List<String> undone = new ArrayList<>();

  @Test
  void closeUndoesNewestFirstAndOnce() {
    Teardown teardown = new Teardown();
    teardown.add(() -> undone.add("first"));
    teardown.add(() -> undone.add("second"));
    teardown.close();
    teardown.close();
    assertThat(undone).containsExactly("second", "first");
  }

  @Test
  void closeGoesOnWhenATaskFails() {
    Teardown teardown = new Teardown();
    teardown.add(() -> undone.add("first"));
    teardown.add(
        () -> {
          throw new IllegalStateException("expected by the test");
        });
    teardown.close();
    assertThat(undone).containsExactly("first");
  }

  @Test
  void addUndoesAtOnceAfterTheEnd() {
    Teardown teardown = new Teardown();
    teardown.close();
    teardown.add(() -> undone.add("late"));
    assertThat(undone).containsExactly("late");
    assertThat(teardown.isClosed()).isTrue();
  }
}
