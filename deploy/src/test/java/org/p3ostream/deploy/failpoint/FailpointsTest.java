package org.p3ostream.deploy.failpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.failpoint.Failpoint.Action;
import org.p3ostream.deploy.failpoint.Failpoint.Moment;
import org.p3ostream.learner.commit.Stage;
import org.p3ostream.learner.commit.StageListener;

class FailpointsTest {

  @TempDir private Path directory;
  private Path file;
  private final List<Failpoint> reached = new ArrayList<>();
  private Failpoints failpoints;

  @BeforeEach
  void open() {
    file = directory.resolve("failpoint");
    failpoints = new Failpoints(file, reached::add);
  }

  @Test
  void learnerTakesNoNoticeWithoutTheProperty() {
    assertThat(System.getProperty(Failpoints.PROPERTY)).isNull();
    assertThat(Failpoints.ofSystemProperty()).isSameAs(StageListener.NONE);
  }

  @Test
  void actsOnceWhenTheMomentHasComeSoOften() throws IOException {
    Files.writeString(file, "after-send@3:stop\n");
    for (int step = 0; step < 5; step++) {
      failpoints.before(Stage.SEND);
      failpoints.after(Stage.SEND);
      failpoints.after(Stage.COMMIT);
      assertThat(reached).hasSize(step < 2 ? 0 : 1);
    }
    assertThat(reached).containsExactly(new Failpoint(Moment.AFTER, Stage.SEND, 3, Action.STOP));
    assertThat(file).doesNotExist();
  }

  @Test
  void countsFromTheMomentItWasTold() throws IOException {
    failpoints.before(Stage.TRAIN);
    Files.writeString(file, "before-train@2:kill");
    failpoints.before(Stage.TRAIN);
    Files.writeString(file, "before-train@1:kill");
    assertThat(reached).isEmpty();
    failpoints.before(Stage.TRAIN);
    assertThat(reached).extracting(Failpoint::toString).containsExactly("before-train@1:kill");
  }

  @Test
  void everyMomentReadsBackAsItIsWritten() {
    for (Moment moment : Moment.values()) {
      for (Stage stage : Stage.values()) {
        for (Action action : Action.values()) {
          Failpoint failpoint = new Failpoint(moment, stage, 7, action);
          assertThat(Failpoint.parse(failpoint.toString())).isEqualTo(failpoint);
        }
      }
    }
  }

  @Test
  void parseNamesWhatIsWrong() {
    assertThatThrownBy(() -> Failpoint.parse("send@1:kill"))
        .hasMessage("failpoint 'send@1:kill' must read (before|after)-STAGE@COUNT:(kill|stop)");
    assertThatThrownBy(() -> Failpoint.parse("after-sending@1:kill"))
        .hasMessageContaining("'sending' is not one of [fence, recover, train");
    assertThatThrownBy(() -> Failpoint.parse("after-send@0:kill"))
        .hasMessage("failpoint: count 0 must be >= 1");
  }
}
