package org.p3ostream.schemas.serde;

import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * Tells the registry's part in a failed conversion from the part of the bytes, for any
 * Confluent-compatible serde: its exceptions are known by their causes.
 */
final class RegistryFailure {

  private static final int MAX_CAUSES = 32;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int REQUEST_TIMEOUT = 408;

  private RegistryFailure() {}

  /**
   * The exception to throw when the registry could not be asked or refused to answer; null when
   * nothing stood between the serde and the schema, so that the bytes are at fault.
   */
  static @Nullable RuntimeException in(RuntimeException failure) {
    for (Throwable cause : causes(failure)) {
      if (cause instanceof RegistryUnavailableException unavailable) {
        return unavailable;
      }
      RegistryRefusedException refused = refusal(cause);
      if (refused != null) {
        return fromAnswer(refused, failure);
      }
      if (isTransport(cause)) {
        return unavailable(cause, failure);
      }
    }
    return null;
  }

  /** True when the registry said that it does not know the schema id. */
  static boolean isUnknownSchemaId(RuntimeException failure) {
    return anyCause(
        failure,
        cause -> {
          RegistryRefusedException refused = refusal(cause);
          return refused != null && isUnknownSchemaId(refused);
        });
  }

  /** True when the schema under the id is no Avro schema. */
  static boolean isUnreadableSchema(RuntimeException failure) {
    return anyCause(failure, UnreadableSchemaException.class::isInstance);
  }

  private static @Nullable RuntimeException fromAnswer(
      RegistryRefusedException refused, RuntimeException failure) {
    if (isUnknownSchemaId(refused)) {
      return null;
    }
    boolean mayPass =
        refused.status() >= 500
            || refused.status() == TOO_MANY_REQUESTS
            || refused.status() == REQUEST_TIMEOUT;
    return mayPass ? unavailable(refused, failure) : refused;
  }

  private static RegistryUnavailableException unavailable(
      Throwable cause, RuntimeException failure) {
    return new RegistryUnavailableException(
        "schema registry could not be asked: " + cause, failure);
  }

  private static boolean isUnknownSchemaId(RegistryRefusedException refused) {
    return refused.errorCode() == RegistryRefusedException.SCHEMA_ID_NOT_FOUND;
  }

  /** The registry's answer that {@code cause} stands for, be it ours or Confluent's; else null. */
  private static @Nullable RegistryRefusedException refusal(Throwable cause) {
    if (cause instanceof RegistryRefusedException refused) {
      return refused;
    }
    if (!cause.getClass().getSimpleName().endsWith("RestClientException")) {
      return null;
    }
    try {
      return new RegistryRefusedException(
          "schema registry answered: " + cause.getMessage(),
          (int) cause.getClass().getMethod("getStatus").invoke(cause),
          (int) cause.getClass().getMethod("getErrorCode").invoke(cause),
          cause);
    } catch (ReflectiveOperationException | ClassCastException e) {
      return null;
    }
  }

  /**
   * True for trouble on the way to the registry. Avro reports malformed bytes as IOException too
   * (end of file, broken varint), but throws those from its own code.
   */
  private static boolean isTransport(Throwable cause) {
    return (cause instanceof IOException && !isThrownByAvro(cause))
        || cause instanceof RetriableException
        || cause instanceof AuthenticationException
        || cause instanceof AuthorizationException;
  }

  private static boolean isThrownByAvro(Throwable cause) {
    StackTraceElement[] stack = cause.getStackTrace();
    return stack.length > 0 && stack[0].getClassName().startsWith("org.apache.avro.");
  }

  private static boolean anyCause(Throwable failure, Predicate<Throwable> predicate) {
    return causes(failure).stream().anyMatch(predicate);
  }

  private static List<Throwable> causes(Throwable failure) {
    return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
        .limit(MAX_CAUSES)
        .toList();
  }
}
