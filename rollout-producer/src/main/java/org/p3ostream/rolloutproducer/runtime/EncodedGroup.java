package org.p3ostream.rolloutproducer.runtime;

import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A group as it will be sent, and sent again after an aborted transaction: the bytes never change.
 *
 * @param record to be sent to the rollouts topic
 * @param responses how many it has
 * @param responseTokens tokens of all its responses
 * @param failed whether it was given up
 */
record EncodedGroup(
    ProducerRecord<byte[], byte[]> record, int responses, int responseTokens, boolean failed) {}
