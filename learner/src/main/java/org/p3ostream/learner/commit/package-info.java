/** The step transaction: everything prepared as bytes first, then sent and committed as one. */
@NullMarked
package org.p3ostream.learner.commit;

import org.jspecify.annotations.NullMarked;
