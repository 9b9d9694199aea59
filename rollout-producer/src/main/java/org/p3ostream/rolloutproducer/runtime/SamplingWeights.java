package org.p3ostream.rolloutproducer.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.p3ostream.rolloutproducer.generation.Mixture;
import org.p3ostream.rolloutproducer.snapshot.VersionCache;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.snapshot.PolicyWeights;

/** Which of the versions at hand sample a task. */
final class SamplingWeights {

  private final VersionCache versions;
  private final Mixture mixture;

  SamplingWeights(VersionCache versions, Mixture mixture) {
    this.versions = versions;
    this.mixture = mixture;
  }

  /** The weights of each variant; empty while one of them is not at hand. */
  Optional<List<PolicyWeights>> of(PromptTask task) {
    List<Long> needed = needed(task);
    List<PolicyWeights> found = new ArrayList<>();
    for (long version : needed) {
      versions.exactly(version).ifPresent(found::add);
    }
    return needed.isEmpty() || found.size() < needed.size() ? Optional.empty() : Optional.of(found);
  }

  /**
   * The version of each variant: of the one that the task names, else of the newest. Empty while
   * that one is older than the task allows.
   */
  List<Long> needed(PromptTask task) {
    Long exact = task.getExactPolicyVersion();
    if (exact != null) {
      return mixture.versions(exact);
    }
    return versions
        .newestSince(task.getMinPolicyVersion())
        .map(newest -> mixture.versions(newest.version()))
        .orElse(List.of());
  }

  /** The first version that is needed and not at hand. */
  OptionalLong missing(PromptTask task) {
    return needed(task).stream()
        .filter(version -> versions.exactly(version).isEmpty())
        .mapToLong(Long::longValue)
        .findFirst();
  }
}
