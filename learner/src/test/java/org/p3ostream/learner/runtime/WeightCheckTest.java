package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.config.RecoveryConfig;
import org.p3ostream.learner.config.RecoveryConfig.Verify;
import org.p3ostream.learner.forward.BehaviorSnapshotMissingException;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.ledger.StepEvents;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.snapshot.WeightsDigest;

class WeightCheckTest {

  private static final float[] RECORDED = {1, 2, 4};
  private static final float[] NEAR = {1, 2.25f, 4};

  private final StepEvent event =
      StepEvents.event(StepKind.STEP, 6, 5, "h")
          .setPolicyVersionAfter(6)
          .setWeightsSha256(digest(RECORDED))
          .build();

  @Test
  void equalWeightsAreKept() {
    assertThat(check(Verify.EXACT, 0).adopted(event, RECORDED.clone())).isNull();
    WeightCheck tolerant = check(Verify.TOLERANCE, 0);
    assertThat(tolerant.adopted(event, RECORDED.clone())).isNull();
    assertThat(tolerant.summary()).isEqualTo("every weight digest as recorded");
  }

  @Test
  void exactRefusesOtherWeightsAndNamesBothAndWhatIsDifferentAround() {
    assertThatThrownBy(() -> check(Verify.EXACT, 1).adopted(event, NEAR))
        .isInstanceOf(LedgerException.class)
        .hasMessageContainingAll("step 6", digest(NEAR), digest(RECORDED), "threads: 1 -> 2")
        .hasMessageNotContaining("torch");
  }

  @Test
  void toleranceTakesTheWeightsOfTheLogWhereTheOthersAreNear() {
    WeightCheck check = check(Verify.TOLERANCE, 0.25);
    assertThat(check.adopted(event, NEAR)).isEqualTo(RECORDED);
    assertThat(check.summary()).contains("1 of them", "by 0.25 at most");
  }

  @Test
  void toleranceRefusesWhatIsFurtherAwayOrNoNumber() {
    WeightCheck check = check(Verify.TOLERANCE, 0.24);
    assertThatThrownBy(() -> check.adopted(event, NEAR))
        .isInstanceOf(LedgerException.class)
        .hasMessageContainingAll("up to 0.25", "version 6", "recovery.tolerance is 0.24");
    assertThatThrownBy(() -> check.adopted(event, new float[] {1, Float.NaN, 4}))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("NaN");
  }

  @Test
  void toleranceNeedsTheSnapshotOfTheLedger() {
    StepEvent gone = StepEvent.newBuilder(event).setPolicyVersionAfter(7).build();
    assertThatThrownBy(() -> check(Verify.TOLERANCE, 1).adopted(gone, NEAR))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("nothing to compare them with");
    StepEvent another = StepEvent.newBuilder(event).setWeightsSha256("another").build();
    assertThatThrownBy(() -> check(Verify.TOLERANCE, 1).adopted(another, NEAR))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("the ledger says another");
  }

  private static WeightCheck check(Verify verify, double tolerance) {
    return new WeightCheck(
        new RecoveryConfig(verify, tolerance),
        version -> {
          if (version != 6) {
            throw new BehaviorSnapshotMissingException(version, "gone");
          }
          return RECORDED;
        },
        Map.of("threads", "1", "torch", "2", "only then", "x"),
        Map.of("threads", "2", "torch", "2", "only now", "y"));
  }

  private static String digest(float[] weights) {
    return WeightsDigest.sha256(WeightsDigest.toBytes(weights));
  }
}
