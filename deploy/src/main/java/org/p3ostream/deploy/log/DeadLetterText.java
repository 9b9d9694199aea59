package org.p3ostream.deploy.log;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.DeadLetter;

/** Dead letters for people: what it is about and, on a second line, why. */
final class DeadLetterText implements RecordSink<DeadLetter> {

  private final PrintWriter out;

  DeadLetterText(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void show(LogEntry entry, DeadLetter letter) {
    out.println(
        String.format(
            Locale.ROOT,
            "%s  %s-%d@%d%s%s%s  %d bytes  %s",
            letter.getReason(),
            TerminalText.inline(letter.getSourceTopic()),
            letter.getSourcePartition(),
            letter.getSourceOffset(),
            ifKnown("  group ", letter.getGroupId()),
            ifKnown(" attempt ", letter.getAttempt()),
            ifKnown("  producer ", letter.getProducerId()),
            letter.getValueBytes(),
            Instant.ofEpochMilli(letter.getRejectedAt())));
    String field = letter.getField();
    out.println(
        "  " + TerminalText.inline((field == null ? "" : field + ": ") + letter.getCause()));
    out.flush();
  }

  private static String ifKnown(String name, @Nullable Object value) {
    return value == null ? "" : name + TerminalText.inline(value.toString());
  }
}
