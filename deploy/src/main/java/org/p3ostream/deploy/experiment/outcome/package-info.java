/**
 * What runs came to: what was measured, what follows from it, and whether the gate lets it pass.
 * Values and arithmetic alone, without files, clients or clocks. Called by the experiment and its
 * report.
 */
@NullMarked
package org.p3ostream.deploy.experiment.outcome;

import org.jspecify.annotations.NullMarked;
