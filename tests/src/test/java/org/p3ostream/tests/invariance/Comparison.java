package org.p3ostream.tests.invariance;

/**
 * One quantity of one run against that of the reference run.
 *
 * @param quantity ess, kl, loss or gradient
 * @param reference of the reference run; for a gradient its L2 norm
 * @param found of this run; for a gradient its L2 norm
 * @param error absolute difference; for a gradient ‖found − reference‖₂ / ‖reference‖₂
 */
record Comparison(
    Cell cell, String quantity, double reference, double found, double error, double tolerance) {

  /**
   * One way to run a window.
   *
   * @param dtype float32 or float64
   */
  record Cell(
      String dtype,
      String window,
      int replicas,
      int contextShards,
      int microBatchTokens,
      int partitions) {}

  boolean fails() {
    return !(error <= tolerance); // NaN fails
  }
}
