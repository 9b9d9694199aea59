package org.p3ostream.policy.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import ai.djl.Device;
import ai.djl.pytorch.jni.JniUtils;
import org.junit.jupiter.api.Test;

class TorchRuntimeTest {

  @Test
  void startIsIdempotentAndSetsTheThreads() {
    TorchRuntime.start(1);
    TorchRuntime.start(1);
    assertThat(JniUtils.getNumThreads()).isEqualTo(1);
    assertThat(System.getProperty("ai.djl.offline")).isEqualTo("true");
    assertThat(TorchRuntime.version()).isEqualTo("2.7.1");
  }

  @Test
  void startRefusesAnotherNumberOfThreads() {
    TorchRuntime.start(1);
    assertThatIllegalStateException()
        .isThrownBy(() -> TorchRuntime.start(2))
        .withMessageContaining("1 intra-op threads, asked for 2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TorchRuntime.start(0))
        .withMessageContaining("was 0");
  }

  @Test
  void newManagerNamesAnAcceleratorThatIsNotThere() {
    TorchRuntime.start(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TorchRuntime.newManager(Device.gpu(99)))
        .withMessageContaining("gpu:99 is not there");
  }

  @Test
  void prepareThreadSwitchesGradModeOffOnANewThread() throws Exception {
    TorchRuntime.start(1);
    boolean[] modes = new boolean[2];
    Thread thread =
        new Thread(
            () -> {
              modes[0] = JniUtils.isGradMode();
              TorchRuntime.prepareThread();
              modes[1] = JniUtils.isGradMode();
            });
    thread.start();
    thread.join();
    assertThat(modes).containsExactly(true, false);
  }
}
