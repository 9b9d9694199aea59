/** AdamW on the flat parameter vector and the learning-rate schedule. */
@NullMarked
package org.p3ostream.learner.optimizer;

import org.jspecify.annotations.NullMarked;
