package org.p3ostream.tests.faults;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.p3ostream.deploy.failpoint.Failpoint;
import org.p3ostream.deploy.failpoint.Failpoint.Action;
import org.p3ostream.deploy.failpoint.Failpoint.Moment;
import org.p3ostream.learner.commit.Stage;

/**
 * Faults in an order and with parameters that depend on a seed alone. A third are failpoints, every
 * one of them as often as any other; the rest are the other kinds, equally.
 */
final class FaultSchedule {

  /** Windows that are trained around every fault. */
  static final int WINDOWS_PER_FAULT = 6;

  private static final int MAX_DELAY_MS = 40;

  /** Moments in which a learner that goes on goes straight to its commit. */
  private static final List<Stage> OF_A_TRANSACTION =
      List.of(Stage.BEGIN, Stage.SEND, Stage.OFFSETS);

  private FaultSchedule() {}

  /**
   * @param kinds to choose from, apart from failpoints
   */
  static List<Fault> of(long seed, int count, List<FaultKind> kinds) {
    Random random = new Random(seed);
    List<String> failpoints = dealt(moments(), count / 3, random);
    List<FaultKind> others = dealt(kinds, count - count / 3, random);
    List<Fault> faults = new ArrayList<>();
    failpoints.forEach(name -> faults.add(failpoint(name, random)));
    others.forEach(kind -> faults.add(other(kind, random)));
    Collections.shuffle(faults, random);
    List<Fault> numbered = new ArrayList<>();
    for (Fault fault : faults) {
      numbered.add(
          new Fault(
              numbered.size(),
              fault.kind(),
              fault.failpoint(),
              fault.afterSteps(),
              fault.delayMillis(),
              fault.victim()));
    }
    return numbered;
  }

  /** Every name that a failpoint can have. */
  static List<String> moments() {
    return Stream.of(Stage.values())
        .flatMap(stage -> Stream.of("before-" + stage, "after-" + stage))
        .toList();
  }

  /** So many of the values that none comes twice more often than another. */
  private static <T> List<T> dealt(List<T> values, int count, Random random) {
    List<T> dealt = new ArrayList<>();
    while (dealt.size() < count) {
      List<T> round = new ArrayList<>(values);
      Collections.shuffle(round, random);
      dealt.addAll(round.subList(0, Math.min(round.size(), count - dealt.size())));
    }
    return dealt;
  }

  private static Fault failpoint(String name, Random random) {
    Failpoint once = Failpoint.parse(name + "@1:kill");
    int comes =
        switch (once.stage()) {
          case FENCE, RECOVER, CHECKPOINT_FILES, CHECKPOINT_RENAME, CHECKPOINT_PRUNE -> 1;
          default -> WINDOWS_PER_FAULT - 2; // some are left for whoever comes after
        };
    Failpoint failpoint =
        new Failpoint(once.moment(), once.stage(), 1 + random.nextInt(comes), Action.KILL);
    return new Fault(0, FaultKind.FAILPOINT, failpoint, 0, 0, 0);
  }

  private static Fault other(FaultKind kind, Random random) {
    Failpoint failpoint = null;
    if (kind == FaultKind.ZOMBIE) {
      failpoint =
          new Failpoint(
              random.nextBoolean() ? Moment.BEFORE : Moment.AFTER,
              OF_A_TRANSACTION.get(random.nextInt(OF_A_TRANSACTION.size())),
              1 + random.nextInt(WINDOWS_PER_FAULT - 2),
              Action.STOP);
    }
    return new Fault(
        0,
        kind,
        failpoint,
        1 + random.nextInt(WINDOWS_PER_FAULT - 2),
        random.nextInt(MAX_DELAY_MS),
        random.nextInt(1_000));
  }
}
