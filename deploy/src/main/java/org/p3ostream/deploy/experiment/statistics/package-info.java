/** Statistics over a few runs. Pure; any thread. */
@NullMarked
package org.p3ostream.deploy.experiment.statistics;

import org.jspecify.annotations.NullMarked;
