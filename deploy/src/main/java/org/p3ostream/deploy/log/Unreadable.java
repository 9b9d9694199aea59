package org.p3ostream.deploy.log;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.serde.Decoded;

/** Tells about every record that cannot be shown, once, and counts them. */
public final class Unreadable {

  private final Consumer<String> notice;
  private final Set<String> coordinates;
  private final @Nullable Class<? extends SpecificRecord> companion;

  /**
   * @param notice told about each
   */
  public Unreadable(Consumer<String> notice) {
    this(notice, new HashSet<>(), null);
  }

  private Unreadable(
      Consumer<String> notice,
      Set<String> coordinates,
      @Nullable Class<? extends SpecificRecord> companion) {
    this.notice = notice;
    this.coordinates = coordinates;
    this.companion = companion;
  }

  /** The same, but records of a further type that belongs into the topic are passed in silence. */
  Unreadable except(Class<? extends SpecificRecord> type) {
    return new Unreadable(notice, coordinates, type);
  }

  /** The record of an entry if it is of the type that is looked for; null otherwise. */
  <T extends SpecificRecord> @Nullable T read(LogEntry entry, Class<T> type) {
    if (entry.value() instanceof Decoded.Rejected rejected) {
      tell(entry, rejected.reason() + ": " + rejected.cause());
      return null;
    }
    SpecificRecord record = ((Decoded.Accepted) entry.value()).record();
    if (companion != null && companion.isInstance(record)) {
      return null;
    }
    if (!type.isInstance(record)) {
      tell(entry, "WRONG_RECORD_TYPE: " + record.getSchema().getName());
      return null;
    }
    return type.cast(record);
  }

  /** Records told about. */
  public int count() {
    return coordinates.size();
  }

  private void tell(LogEntry entry, String why) {
    if (coordinates.add(entry.coordinate())) {
      notice.accept(entry.coordinate() + " is passed over: " + TerminalText.inline(why));
    }
  }
}
