/**
 * What the metrics service can be told: values with their defaults and their rules. Built by the
 * command line; no I/O.
 */
@NullMarked
package org.p3ostream.streams.config;

import org.jspecify.annotations.NullMarked;
