/**
 * Executes experiments: one local broker and registry, every run with topics of its own, its
 * learner and its producer as threads of this process, as many runs side by side as asked for. What
 * a run came to is written whole or not at all. {@link
 * org.p3ostream.deploy.experiment.run.Experiment} is called by the command line on its main thread,
 * and stopped from a shutdown hook.
 */
@NullMarked
package org.p3ostream.deploy.experiment.run;

import org.jspecify.annotations.NullMarked;
