package org.p3ostream.deploy.config;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.p3ostream.learner.config.InsteadOf;

/** Which keys a configuration may hold, read off the settings records. */
sealed interface ConfigShape {

  /** A record: exactly these keys. */
  record Section(Map<String, ConfigShape> keys) implements ConfigShape {}

  /**
   * A record component that is no record itself.
   *
   * @param name name of the component; its ending may tell a unit ({@code Bytes}, {@code Seconds},
   *     {@code Millis})
   * @param type declared type
   */
  record Value(String name, Class<?> type) implements ConfigShape {}

  /** Several texts. */
  record TextList() implements ConfigShape {}

  /** Several whole numbers. */
  record NumberList() implements ConfigShape {}

  /** Any key with a text value. */
  record FreeMap() implements ConfigShape {}

  /**
   * A list of records.
   *
   * @param entry keys of every entry
   * @param entryDefaults what an entry holds where it is silent
   * @param insteadOf keys of the same section that are unset where the list is given
   */
  record RecordList(Section entry, ObjectNode entryDefaults, List<String> insteadOf)
      implements ConfigShape {}

  /** The shape of a settings record. */
  static Section of(Class<? extends Record> type) {
    Map<String, ConfigShape> keys = new LinkedHashMap<>();
    for (RecordComponent component : type.getRecordComponents()) {
      keys.put(component.getName(), of(component));
    }
    return new Section(keys);
  }

  private static ConfigShape of(RecordComponent component) {
    Class<?> type = component.getType();
    if (type.isRecord()) {
      return of(type.asSubclass(Record.class));
    }
    if (type == List.class) {
      return listOf(component);
    }
    return type == Map.class ? new FreeMap() : new Value(component.getName(), type);
  }

  private static ConfigShape listOf(RecordComponent component) {
    Type entry = ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
    if (entry == String.class) {
      return new TextList();
    }
    if (entry == Long.class) {
      return new NumberList();
    }
    Class<? extends Record> type = ((Class<?>) entry).asSubclass(Record.class);
    InsteadOf insteadOf = component.getAnnotation(InsteadOf.class);
    return new RecordList(
        of(type),
        ConfigTree.of(defaults(type)),
        insteadOf == null ? List.of() : List.of(insteadOf.value()));
  }

  /** Every settings record has its defaults in a static method of this name. */
  private static Record defaults(Class<? extends Record> type) {
    try {
      return (Record) type.getMethod("defaults").invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no defaults of " + type, e);
    }
  }
}
