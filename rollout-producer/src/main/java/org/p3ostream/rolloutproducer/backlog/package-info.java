/**
 * Bookkeeping of the prompts in hand: what may be started, which results may be published with
 * which offsets, how often a prompt was started before. Pure, without a consumer or a clock;
 * confined to the poll thread.
 */
@NullMarked
package org.p3ostream.rolloutproducer.backlog;

import org.jspecify.annotations.NullMarked;
