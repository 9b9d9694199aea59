/**
 * Single records of the log, read when somebody asks for them: a rollout group where the ledger
 * says that it lies, the manifests of the newest snapshots. Every read is bounded in records and in
 * time, but for the ratios of a step, which come from whoever brought a model. Used by the server
 * from one worker thread; no class here is safe for several.
 */
@NullMarked
package org.p3ostream.streams.lookup;

import org.jspecify.annotations.NullMarked;
