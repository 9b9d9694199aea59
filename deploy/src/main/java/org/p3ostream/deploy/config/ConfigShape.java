package org.p3ostream.deploy.config;

import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

  /** Any key with a text value. */
  record FreeMap() implements ConfigShape {}

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
      return new TextList();
    }
    return type == Map.class ? new FreeMap() : new Value(component.getName(), type);
  }
}
