/**
 * What a rollout producer can be told: values with their defaults and their rules. Built by the
 * command line; no I/O, any thread.
 */
@NullMarked
package org.p3ostream.rolloutproducer.config;

import org.jspecify.annotations.NullMarked;
