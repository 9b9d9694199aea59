/**
 * {@code p3o loss}: an objective on the tokens of a file, whoever wrote it. Reads, evaluates, warns
 * and prints; no Kafka. Runs on the main thread.
 */
@NullMarked
package org.p3ostream.deploy.loss;

import org.jspecify.annotations.NullMarked;
