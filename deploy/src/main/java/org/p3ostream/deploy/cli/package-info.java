/**
 * The {@code p3o} command line: parses arguments, builds the parts and maps outcomes to exit codes.
 * Runs on the main thread; shutdown hooks ask the running part to stop.
 */
@NullMarked
package org.p3ostream.deploy.cli;

import org.jspecify.annotations.NullMarked;
