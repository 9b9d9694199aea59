package org.p3ostream.rolloutproducer.runtime;

/**
 * What a producer has done so far and is doing now.
 *
 * @param groupsPublished groups in committed transactions, failed ones included
 * @param groupsFailed groups given up, a part of {@code groupsPublished}
 * @param responsesPublished responses in committed transactions
 * @param tokensPublished response tokens in committed transactions
 * @param promptsSkipped prompts that were undecodable or of another run
 * @param snapshotsLoaded versions read and verified
 * @param snapshotsCorrupt snapshots that could not be put together
 * @param snapshotsRefused snapshots of another run or model
 * @param transactionsAborted transactions that did not commit and were sent again
 * @param groupsDropped groups sampled in vain because their partition went to another producer
 * @param policyVersion newest version held; −1 for none
 * @param waitingFor what the producer waits for; empty while it samples
 */
public record ProducerStatus(
    long groupsPublished,
    long groupsFailed,
    long responsesPublished,
    long tokensPublished,
    long promptsSkipped,
    long snapshotsLoaded,
    long snapshotsCorrupt,
    long snapshotsRefused,
    long transactionsAborted,
    long groupsDropped,
    long policyVersion,
    String waitingFor) {}
