/**
 * The topics of a run: names, partition counts, topic settings, keys and partitioning. Pure values;
 * used by every role.
 */
@NullMarked
package org.p3ostream.schemas.topic;

import org.jspecify.annotations.NullMarked;
