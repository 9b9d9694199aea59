package org.p3ostream.tests.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.tests.support.LocalStackExtension;

/** A hundred thousand records, of which nearly all must not be trained on. */
@ExtendWith(LocalStackExtension.class)
@Tag("endurance")
class FuzzIT {

  private static final long RECORDS = 100_000;
  private static final int WINDOWS = 30;

  /** What a leak of a few hundred bytes per record would exceed many times over. */
  private static final long HEAP_SLACK_BYTES = 16_000_000;

  @Test
  void everyRecordMeetsTheFateThatItsLabelSays(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    long seed = Long.getLong("p3o.fuzz.seed", ThreadLocalRandom.current().nextLong());
    System.out.println("fuzz seed " + seed + " (again: -Dp3o.fuzz.seed=" + seed + ")");
    FuzzRun fuzz = new FuzzRun(stack, directory, RECORDS, WINDOWS, seed, System.out::println);
    fuzz.play();

    FuzzVerdict verdict = new FuzzVerdict(fuzz);
    verdict.require();
    System.out.println(verdict.counts());
    assertThat(verdict.counts())
        .containsKeys(
            "VALID",
            RejectionReason.UNDECODABLE.name(),
            RejectionReason.UNKNOWN_SCHEMA.name(),
            RejectionReason.WRONG_RECORD_TYPE.name(),
            RejectionReason.FOREIGN_RUN.name(),
            RejectionReason.NOT_DISPATCHED.name(),
            RejectionReason.DUPLICATE.name(),
            RejectionReason.SUPERSEDED.name());
    List<Long> heap = fuzz.heapBytes();
    assertThat(heap.get(9) - heap.get(1)).as("%s", heap).isLessThan(HEAP_SLACK_BYTES);
  }
}
