/**
 * Faults of every kind against real processes: a seeded schedule of them, what injects each, and
 * the soak that compares the disturbed run with its undisturbed twin after every one.
 */
package org.p3ostream.tests.faults;
