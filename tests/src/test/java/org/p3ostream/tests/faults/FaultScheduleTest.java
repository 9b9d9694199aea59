package org.p3ostream.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FaultScheduleTest {

  private static final List<FaultKind> OTHERS =
      List.copyOf(EnumSet.complementOf(EnumSet.of(FaultKind.FAILPOINT)));

  @Test
  void scheduleOfTwoHundredHasEveryFailpointThreeTimesAndTheOtherKindsEqually() {
    List<Fault> schedule = FaultSchedule.of(1, 200, OTHERS);
    Map<String, Long> failpoints =
        schedule.stream()
            .filter(fault -> fault.kind() == FaultKind.FAILPOINT)
            .collect(Collectors.groupingBy(f -> f.failpoint().name(), Collectors.counting()));
    Map<FaultKind, Long> others =
        schedule.stream()
            .filter(fault -> fault.kind() != FaultKind.FAILPOINT)
            .collect(Collectors.groupingBy(Fault::kind, Collectors.counting()));
    assertThat(failpoints).containsOnlyKeys(FaultSchedule.moments()).hasSize(22);
    assertThat(failpoints.values()).containsOnly(3L);
    assertThat(others).containsOnlyKeys(OTHERS);
    assertThat(others.values()).allMatch(count -> count == 7 || count == 8);
    assertThat(schedule).extracting(Fault::index).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void scheduleDependsOnItsSeedAlone() {
    assertThat(FaultSchedule.of(7, 50, OTHERS))
        .isEqualTo(FaultSchedule.of(7, 50, OTHERS))
        .isNotEqualTo(FaultSchedule.of(8, 50, OTHERS));
  }

  @Test
  void everyFailpointComesBeforeTheLastWindowOfItsFault() {
    for (Fault fault : FaultSchedule.of(3, 400, OTHERS)) {
      if (fault.failpoint() != null) {
        assertThat(fault.failpoint().count()).isBetween(1, FaultSchedule.WINDOWS_PER_FAULT - 2);
      }
      assertThat(fault.afterSteps()).isLessThan(FaultSchedule.WINDOWS_PER_FAULT - 1);
    }
  }
}
