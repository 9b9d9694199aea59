package org.p3ostream.learner.window;

/**
 * DAPO's dynamic sampling: a group whose rewards are all equal has advantages of 0 and teaches
 * nothing, so another prompt is sampled in its place.
 *
 * <p>Source: Yu et al. 2025, arXiv:2503.14476, section 3.2, Eq. 11. Raw rewards are compared,
 * before any overlong penalty. Deviations: Eq. 11 counts right answers, here rewards are compared;
 * a group is replaced by one of the same slot and the same policy version, so that a run stays a
 * function of its seed; and after a number of attempts it is trained as it is, so that a policy
 * which solves every prompt does not wait for ever.
 *
 * @param attempts attempts of a group after which it is trained whatever its rewards are, ≥ 1; 1 =
 *     off
 */
public record DynamicSampling(int attempts) {

  /** Every group is trained as it is. */
  public static final DynamicSampling OFF = new DynamicSampling(1);

  public DynamicSampling {
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts " + attempts + " must be >= 1");
    }
  }

  /** Whether a group is to be sampled again. */
  boolean replaces(TrainingGroup group) {
    return group.attempt() + 1 < attempts && hasEqualRewards(group);
  }

  private static boolean hasEqualRewards(TrainingGroup group) {
    double first = group.responses().get(0).reward();
    return group.responses().stream().allMatch(response -> response.reward() == first);
  }
}
