package org.p3ostream.policy.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ScriptModuleTest {

  private static final String METHODS =
      """
      def twice(self, x: Tensor) -> Tensor:
        return torch.mul(x, 2)
      def both(self, x: Tensor, y: Tensor) -> List[Tensor]:
        return [torch.add(x, y), self.twice(y)]
      """;

  private NDManager manager;

  @BeforeEach
  void startEngine() {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    manager = TorchRuntime.newManager(Device.cpu());
  }

  @AfterEach
  void closeManager() {
    manager.close();
  }

  @Test
  void callRunsTheMethodNamed() {
    try (ScriptModule module = ScriptModule.compile(manager, METHODS)) {
      NDArray x = manager.create(new float[] {1, 2});
      NDArray y = manager.create(new float[] {10, 20});
      NDList both = module.call("both", x, y);
      assertThat(module.call("twice", x).singletonOrThrow().toFloatArray()).containsExactly(2, 4);
      assertThat(both).hasSize(2);
      assertThat(both.get(0).toFloatArray()).containsExactly(11, 22);
      assertThat(both.get(1).toFloatArray()).containsExactly(20, 40);
    }
  }

  @Test
  void callAttachesResultsToTheManagerOfTheFirstArgument() {
    try (ScriptModule module = ScriptModule.compile(manager, METHODS);
        NDManager first = manager.newSubManager()) {
      NDList both = module.call("both", first.create(1f), manager.create(1f));
      assertThat(both).allSatisfy(result -> assertThat(result.getManager()).isSameAs(first));
    }
  }

  @Test
  void moduleOutlivesTheScopeItWasCompiledIn() {
    ScriptModule module;
    try (NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      module = ScriptModule.compile(manager, METHODS);
    }
    assertThat(manager.getManagedArrays()).as("one per method, still open").hasSize(2);
    NDArray result = module.call("twice", manager.create(3f)).singletonOrThrow();
    assertThat(result.getFloat()).isEqualTo(6);
    module.close();
  }

  @Test
  void compileErrorsCarryTheCompilersMessageAndTheNumberedSource() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                ScriptModule.compile(
                    manager,
                    """
                    def broken(self, x: Tensor) -> Tensor:
                      return torch.no_such_operator(x)
                    """))
        .withMessageContaining("no_such_operator")
        .withMessageMatching("(?s).*Unknown builtin op.*")
        .withMessageContaining("   5    def broken(self, x: Tensor) -> Tensor:")
        .withMessageContaining("   6      return torch.no_such_operator(x)");
  }

  @Test
  void callRefusesUnknownMethodsAndCallsWithoutAnOwnerOfTheResult() {
    try (ScriptModule module = ScriptModule.compile(manager, METHODS)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> module.call("thrice", manager.create(1f)))
          .withMessageContaining("thrice")
          .withMessageContaining("[twice, both]");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> module.call("twice"))
          .withMessageContaining("twice");
    }
  }

  @Test
  void closeMayComeAfterTheManagersAndTwice() {
    NDManager own = manager.newSubManager();
    ScriptModule module = ScriptModule.compile(own, METHODS);
    own.close();
    module.close();
    module.close();
  }
}
