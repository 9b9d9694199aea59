package org.p3ostream.learner.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A key that stands in the place of others of its section: where it is given, they are unset, and
 * to give one of them as well is an error.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface InsteadOf {

  /** The other keys. */
  String[] value();
}
