/** Shows what came of a replay or a fork, to people and to scripts. */
@NullMarked
package org.p3ostream.deploy.replay;

import org.jspecify.annotations.NullMarked;
