/**
 * The mathematics: policy objectives and advantages in plain Java, float64, JDK only. Pure
 * functions; each objective has a TorchScript twin in the loss package that must agree with it.
 */
@NullMarked
package org.p3ostream.learner.objective;

import org.jspecify.annotations.NullMarked;
