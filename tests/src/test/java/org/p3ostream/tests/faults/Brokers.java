package org.p3ostream.tests.faults;

import org.p3ostream.deploy.stack.ChildProcess;

/** The broker or the brokers of a run, as far as they are disturbed. */
interface Brokers extends AutoCloseable {

  /** For file names and tables, for instance {@code 1-node}. */
  String name();

  String bootstrapServers();

  /** Copies of every partition. */
  int replication();

  /** The process that matters most to a run: the only broker, or the leader of its ledger. */
  ChildProcess leader(String ledgerTopic);

  /** Where one of the processes keeps its data. */
  SmallDisk disk(ChildProcess victim);

  /** Starts a broker that has ended again and waits for it. */
  void restart(ChildProcess ended);

  /** Puts what is only in memory where it stays, for whoever looks into a failure. */
  void keepData();

  /** Returns once the next one may be taken away. */
  void awaitWhole();

  @Override
  void close();
}
