/**
 * When somebody should look at a run: rules over what is known of it at one moment. Pure: no clock,
 * no client, no state. Evaluated by the server, for {@code /api/alerts} and for the gauges that
 * Prometheus' own rules look at, so that both say the same.
 */
@NullMarked
package org.p3ostream.streams.alert;

import org.jspecify.annotations.NullMarked;
