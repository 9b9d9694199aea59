/**
 * How well weights answer prompts that were not trained on. Called by the commands that report it,
 * on the thread that computes.
 */
@NullMarked
package org.p3ostream.deploy.evaluation;

import org.jspecify.annotations.NullMarked;
