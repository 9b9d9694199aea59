/**
 * What an experiment is: data and their rules, and nothing that touches a file, a client or a
 * clock. Called by the experiment on one thread.
 */
@NullMarked
package org.p3ostream.deploy.experiment.plan;

import org.jspecify.annotations.NullMarked;
