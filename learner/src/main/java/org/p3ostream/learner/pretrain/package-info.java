/** Supervised warm start of a model on prompts with answers. */
@NullMarked
package org.p3ostream.learner.pretrain;

import org.jspecify.annotations.NullMarked;
