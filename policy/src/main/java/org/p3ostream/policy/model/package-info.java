/**
 * A Qwen3-style decoder over one flat parameter vector: configuration, parameter layout, forward
 * pass. An instance is confined to one thread at a time.
 */
@NullMarked
package org.p3ostream.policy.model;

import org.jspecify.annotations.NullMarked;
