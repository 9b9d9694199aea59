/**
 * The same windows cut in every way: ESS, KL, loss and gradient must not depend on it. Beside it,
 * what the guards are for: each one broken turns the table red.
 */
package org.p3ostream.tests.invariance;
