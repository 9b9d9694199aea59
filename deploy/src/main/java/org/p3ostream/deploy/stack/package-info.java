/**
 * Programs started beside this one: child JVMs under supervision, and the local Kafka broker and
 * schema registry built on them. Called by the command line and by integration tests, from one
 * thread; a child never outlives the process that started it.
 */
@NullMarked
package org.p3ostream.deploy.stack;

import org.jspecify.annotations.NullMarked;
