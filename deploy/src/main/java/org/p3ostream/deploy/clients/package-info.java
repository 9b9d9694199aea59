/**
 * The one place where Kafka clients are built, for every role, out of the configuration. Whoever
 * asks for clients closes them.
 */
@NullMarked
package org.p3ostream.deploy.clients;

import org.jspecify.annotations.NullMarked;
