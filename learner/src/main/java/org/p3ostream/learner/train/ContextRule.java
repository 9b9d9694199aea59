package org.p3ostream.learner.train;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.StepContext;

/** Over which tokens the figures are taken by which a loss is weighted, and so when they freeze. */
interface ContextRule {

  /** Whether a round's contexts are known once the round was run forward. */
  boolean byRound();

  /**
   * The contexts of some rounds, all of whose tokens have been appended.
   *
   * @return [rounds][R]
   */
  List<List<StepContext>> freeze(WindowTokens tokens, int firstRound, int endRound, int replicas);

  /**
   * The rule of an objective. P3O's ESS is that of the whole step, or of the micro-batches that the
   * replicas run at the same time. Other objectives have none.
   */
  static ContextRule of(Objective objective) {
    if (objective instanceof P3o p3o) {
      return p3o.essScope() == EssScope.STEP ? Scope.STEP : Scope.ROUND;
    }
    return Scope.NONE;
  }

  /** The rules there are. N is that of the whole step in all of them. */
  enum Scope implements ContextRule {
    STEP {
      @Override
      public boolean byRound() {
        return false;
      }

      @Override
      public List<List<StepContext>> freeze(
          WindowTokens tokens, int firstRound, int endRound, int replicas) {
        StepContext context =
            new StepContext(tokens.ratioStatistics().normalizedEss(), tokens.count());
        return Collections.nCopies(endRound - firstRound, Collections.nCopies(replicas, context));
      }
    },
    ROUND {
      @Override
      public boolean byRound() {
        return true;
      }

      @Override
      public List<List<StepContext>> freeze(
          WindowTokens tokens, int firstRound, int endRound, int replicas) {
        List<List<StepContext>> contexts = new ArrayList<>();
        for (int round = firstRound; round < endRound; round++) {
          double ess = tokens.ratioStatistics(round, round + 1).normalizedEss();
          contexts.add(Collections.nCopies(replicas, new StepContext(ess, tokens.count())));
        }
        return contexts;
      }
    },
    /** e is 0: nobody asks for it. */
    NONE {
      @Override
      public boolean byRound() {
        return true;
      }

      @Override
      public List<List<StepContext>> freeze(
          WindowTokens tokens, int firstRound, int endRound, int replicas) {
        return Collections.nCopies(
            endRound - firstRound,
            Collections.nCopies(replicas, new StepContext(0, tokens.count())));
      }
    }
  }
}
