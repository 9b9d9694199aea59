package org.p3ostream.rolloutproducer.runtime;

/**
 * Told how long a producer's work takes; by the thread that polls, once for each group and each
 * transaction and never per token, so that it must return at once. What it has done so far is in
 * {@link RolloutProducer#status()}.
 */
public interface ProducerObserver {

  /** Takes no notice. */
  ProducerObserver NONE =
      new ProducerObserver() {
        @Override
        public void sampled(double millis) {}

        @Override
        public void published(double millis) {}
      };

  /** A group has been sampled. */
  void sampled(double millis);

  /** A transaction has committed. */
  void published(double millis);
}
