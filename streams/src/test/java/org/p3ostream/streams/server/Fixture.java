package org.p3ostream.streams.server;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.p3ostream.streams.config.StreamsConfig;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.live.GroupIndex.TrainedGroup;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.lookup.GroupRatios;
import org.p3ostream.streams.lookup.GroupView;
import org.p3ostream.streams.lookup.NotReadableException;
import org.p3ostream.streams.lookup.SnapshotView;
import org.p3ostream.streams.query.NoState;
import org.p3ostream.streams.query.RunQueries;

/** What servers under test are built from. */
final class Fixture {
  /** Loopback, a free port, open to everybody. */
  static final StreamsConfig OPEN = new StreamsConfig("127.0.0.1", 0, "state", null, 1, 1);

  /** Answers nothing. */
  static final RecordSource NO_RECORDS =
      new RecordSource() {
        @Override
        public Optional<GroupView> group(String rolloutsPrefix, TrainedGroup at) {
          throw new NotReadableException("no log here");
        }

        @Override
        public GroupRatios ratios(TrainedGroup at) {
          throw new NotReadableException("no log here");
        }

        @Override
        public List<SnapshotView> snapshots(int limit) {
          throw new NotReadableException("no log here");
        }
      };

  private Fixture() {}

  static Sources of(StepLog steps) {
    return of(steps, NO_RECORDS);
  }

  static Sources of(StepLog steps, RecordSource records) {
    return of(steps, records, NoState.queries());
  }

  /** The clock stands a second after everything in {@link Records}. */
  static Sources of(StepLog steps, RecordSource records, RunQueries queries) {
    Clock clock = Clock.fixed(Instant.ofEpochMilli(Records.NOW + 1000), ZoneOffset.UTC);
    return new Sources("p3o.", steps, records, queries, clock);
  }

  static StreamsConfig withToken(String token) {
    return new StreamsConfig("127.0.0.1", 0, "state", null, 1, 1, token, null, null, null);
  }
}
