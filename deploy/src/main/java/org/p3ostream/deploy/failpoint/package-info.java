/**
 * Ways to end or stop a learner at an exact moment, for tests of recovery. Inert unless a system
 * property asks for it.
 */
@NullMarked
package org.p3ostream.deploy.failpoint;

import org.jspecify.annotations.NullMarked;
