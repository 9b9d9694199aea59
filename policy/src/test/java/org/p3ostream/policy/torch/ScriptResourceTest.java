package org.p3ostream.policy.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ScriptResourceTest {

  @Test
  void ofFillsInEveryFigure() {
    assertThat(
            ScriptResource.of(
                ScriptResourceTest.class, "scaled.torchscript", Map.of("FACTOR", "2.5")))
        .isEqualTo(
            "def scaled(self, x: Tensor) -> Tensor:\n  return torch.mul(torch.add(x, 2.5), 2.5)\n");
  }

  @Test
  void ofNamesTheFigureOrResourceThatIsMissing() {
    assertThatThrownBy(
            () -> ScriptResource.of(ScriptResourceTest.class, "scaled.torchscript", Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("${FACTOR}");
    assertThatThrownBy(
            () -> ScriptResource.of(ScriptResourceTest.class, "absent.torchscript", Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("absent.torchscript")
        .hasMessageContaining(ScriptResourceTest.class.getName());
  }
}
