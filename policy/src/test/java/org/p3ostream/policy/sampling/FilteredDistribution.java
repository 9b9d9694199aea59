package org.p3ostream.policy.sampling;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** What a token is sampled from, written out in plain Java: oracle for the TorchScript one. */
final class FilteredDistribution {

  private final double[] probabilities;

  private FilteredDistribution(double[] probabilities) {
    this.probabilities = probabilities;
  }

  static FilteredDistribution of(double[] logits, SamplingParameters sampling) {
    double[] probabilities = new double[logits.length];
    for (int v = 0; v < logits.length; v++) {
      probabilities[v] = Math.exp(logits[v] / sampling.temperature());
    }
    normalize(probabilities);
    if (sampling.minP() > 0) {
      double largest = Arrays.stream(probabilities).max().orElseThrow();
      keep(
          probabilities,
          IntStream.range(0, logits.length)
              .filter(v -> probabilities[v] >= sampling.minP() * largest)
              .boxed()
              .toList());
    }
    if (sampling.topK() > 0) {
      keep(
          probabilities,
          descending(probabilities).subList(0, Math.min(sampling.topK(), logits.length)));
    }
    if (sampling.topP() < 1) {
      List<Integer> order = descending(probabilities);
      int kept = 0;
      double mass = 0;
      while (mass < sampling.topP()) {
        mass += probabilities[order.get(kept)];
        kept++;
      }
      keep(probabilities, order.subList(0, kept));
    }
    return new FilteredDistribution(probabilities);
  }

  double probability(int token) {
    return probabilities[token];
  }

  Set<Integer> support() {
    Set<Integer> support = new HashSet<>();
    for (int v = 0; v < probabilities.length; v++) {
      if (probabilities[v] > 0) {
        support.add(v);
      }
    }
    return support;
  }

  private static List<Integer> descending(double[] probabilities) {
    return IntStream.range(0, probabilities.length)
        .boxed()
        .sorted(Comparator.comparingDouble(v -> -probabilities[v]))
        .toList();
  }

  private static void keep(double[] probabilities, List<Integer> kept) {
    for (int v = 0; v < probabilities.length; v++) {
      if (!kept.contains(v)) {
        probabilities[v] = 0;
      }
    }
    normalize(probabilities);
  }

  private static void normalize(double[] probabilities) {
    double sum = Arrays.stream(probabilities).sum();
    for (int v = 0; v < probabilities.length; v++) {
      probabilities[v] /= sum;
    }
  }
}
