package org.p3ostream.tests.faults;

import java.util.List;
import org.p3ostream.tests.faults.Crew.Exit;

/**
 * How a fault ended.
 *
 * @param brokers name of the brokers it struck
 * @param recoveryMs from the strike until every window that was due was in the ledger
 * @param wallMs all of it, audit included
 * @param exits processes that ended, in order
 * @param verdict of the audit afterwards
 */
record Outcome(
    Fault fault,
    String brokers,
    long recoveryMs,
    long wallMs,
    List<Exit> exits,
    IndependentAudit.Verdict verdict) {}
