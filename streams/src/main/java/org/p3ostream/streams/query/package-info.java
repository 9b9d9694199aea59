/**
 * The read side of the topology: what its state stores say, as answers that are written as JSON.
 * Times are milliseconds since the epoch; a figure that is not known is null, never 0 or NaN. Any
 * thread may ask; answers are of the moment. Knows neither Kafka Streams' runtime nor HTTP.
 */
@NullMarked
package org.p3ostream.streams.query;

import org.jspecify.annotations.NullMarked;
