/**
 * What a process tells about itself: meters of its role, of its Kafka clients and of its JVM, and
 * the address at which Prometheus finds them. Owns the registry; called by the command line, and
 * recorded into by the threads that do the work.
 */
@NullMarked
package org.p3ostream.deploy.meters;

import org.jspecify.annotations.NullMarked;
