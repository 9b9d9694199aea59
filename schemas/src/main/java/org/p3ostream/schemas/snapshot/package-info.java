/**
 * Weights as records: cutting a flat float32 vector into chunks closed by a manifest, and putting
 * it together again, verified. Pure; written by the learner, read by producers, auditors and the
 * learner itself, confined to their threads.
 */
@NullMarked
package org.p3ostream.schemas.snapshot;

import org.jspecify.annotations.NullMarked;
