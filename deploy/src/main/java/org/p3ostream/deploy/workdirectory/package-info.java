/**
 * The directory that holds a whole run of {@code p3o demo}: how it began, its configuration, the
 * data of its broker and registry, its checkpoints. Whoever works in it claims it first; broker and
 * registry are started on its data for those who want to read the run. Called by the demo and by
 * the commands that take {@code --work-dir}, from one thread.
 */
@NullMarked
package org.p3ostream.deploy.workdirectory;

import org.jspecify.annotations.NullMarked;
