package org.p3ostream.deploy.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.deploy.experiment.plan.Plans;
import org.p3ostream.learner.train.NonFiniteUpdateException;
import org.p3ostream.learner.window.Window;

class RunExecutionTest {

  private static final float[] BROKEN = {Float.NaN};

  private final PlannedRun run = Plans.study().runs().get(0);

  private static RoleThread ended(Runnable role) throws InterruptedException {
    RoleThread thread = RoleThread.start("role", role, () -> {});
    assertThat(thread.awaitEnd(10_000)).isTrue();
    return thread;
  }

  private static void fail() {
    throw new IllegalStateException("the broker is gone");
  }

  @Test
  void whyItEndedNamesTheRoleThatFailed() throws InterruptedException {
    RoleThread well = ended(() -> {});
    RoleThread failed = ended(RunExecutionTest::fail);
    assertThat(RunExecution.whyItEnded(run, well, well)).isNull();
    assertThat(RunExecution.whyItEnded(run, failed, well)).isEqualTo("learner: the broker is gone");
    assertThat(RunExecution.whyItEnded(run, well, failed))
        .isEqualTo("producer: the broker is gone");
  }

  @Test
  void whyItEndedTellsNumbersThatBrokeDownFromAFailure() throws InterruptedException {
    RoleThread broken =
        ended(() -> NonFiniteUpdateException.requireFinite(BROKEN, new Window(3, List.of())));
    assertThat(RunExecution.whyItEnded(run, broken, ended(() -> {})))
        .startsWith(RunResult.DIVERGED + "window 3: weight NaN is not finite");
  }
}
