/**
 * What processes tell about themselves, as Prometheus and Grafana read it, and what it costs a
 * learner to be watched.
 */
@NullMarked
package org.p3ostream.tests.meters;

import org.jspecify.annotations.NullMarked;
