package org.p3ostream.streams.state;

/** A stretch on the way of a group. */
public enum Stage {
  /** From the ledger event that dispatched the attempt first to the end of its generation. */
  DISPATCHED_TO_SAMPLED("dispatched_to_sampled"),
  /** From there to the ledger event that trained it. */
  SAMPLED_TO_TRAINED("sampled_to_trained"),
  /** Both. */
  DISPATCHED_TO_TRAINED("dispatched_to_trained");

  private final String label;

  Stage(String label) {
    this.label = label;
  }

  /** As it stands in labels and answers. */
  public String label() {
    return label;
  }
}
