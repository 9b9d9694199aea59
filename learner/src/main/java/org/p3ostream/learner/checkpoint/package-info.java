/** Files that hold everything a learner needs to go on, bound to a step event by its hash. */
@NullMarked
package org.p3ostream.learner.checkpoint;

import org.jspecify.annotations.NullMarked;
