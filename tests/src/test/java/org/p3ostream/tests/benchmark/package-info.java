/** Measurements, each with a main of its own. No test runs them. */
package org.p3ostream.tests.benchmark;
