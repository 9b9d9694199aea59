package org.p3ostream.schemas.serde;

import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.util.ClassSecurityValidator;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;

/**
 * The record types that may stand as a value on a topic. Loading this class makes Avro trust the
 * generated classes, see {@link #trust()}.
 */
public final class RecordTypes {

  private static final String TRUSTED_PREFIX = PromptTask.class.getPackageName() + ".";

  private static final Map<String, Schema> READER_SCHEMAS =
      Stream.of(
              PromptTask.getClassSchema(),
              RolloutGroup.getClassSchema(),
              SnapshotChunk.getClassSchema(),
              SnapshotManifest.getClassSchema(),
              StepEvent.getClassSchema(),
              MetricPoint.getClassSchema(),
              DeadLetter.getClassSchema())
          .collect(Collectors.toUnmodifiableMap(Schema::getFullName, Function.identity()));

  static {
    ClassSecurityValidator.setGlobal(
        ClassSecurityValidator.composite(
            ClassSecurityValidator.getGlobal(), type -> type.getName().startsWith(TRUSTED_PREFIX)));
  }

  private RecordTypes() {}

  /**
   * Lets Avro instantiate the generated classes by name, which it refuses for classes that nobody
   * declared trusted: when decoding and when copying a builder. {@link RecordCodec} and this
   * project's serdes see to it themselves; code that copies builders without them calls this once.
   * What was trusted before stays trusted.
   */
  public static void trust() {
    // Done when the class was initialised.
  }

  /** Schemas of the generated classes. */
  public static Collection<Schema> schemas() {
    return READER_SCHEMAS.values();
  }

  /** Schema of the generated class called {@code fullName}; null if there is none. */
  public static @Nullable Schema readerSchema(String fullName) {
    return READER_SCHEMAS.get(fullName);
  }
}
