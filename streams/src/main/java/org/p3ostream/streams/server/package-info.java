/**
 * The HTTP face of the service on Vert.x: metrics for Prometheus, health, steps as JSON. Read-only,
 * no cross-origin answers, nothing secret to give. Handlers run on one event loop and never block.
 */
@NullMarked
package org.p3ostream.streams.server;

import org.jspecify.annotations.NullMarked;
