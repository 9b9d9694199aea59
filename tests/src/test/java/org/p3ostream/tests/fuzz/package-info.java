/**
 * Floods of records of which nearly all must not be trained on: each is labelled when it is made,
 * and the log is compared with the labels.
 */
package org.p3ostream.tests.fuzz;
