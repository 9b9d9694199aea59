package org.p3ostream.streams.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.ext.web.RoutingContext;

/** Answers as JSON. */
final class Json {
  static final String CONTENT_TYPE = "application/json";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  /** What was wrong with a parameter. */
  private record BadParameter(String parameter, String value, String rule) {}

  /** Why there is no other answer. */
  record Reason(String reason) {}

  /** {@code body} on one line. */
  static String text(Object body) {
    try {
      return MAPPER.writeValueAsString(body);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot write " + body.getClass().getSimpleName(), e);
    }
  }

  static void answer(RoutingContext context, int status, Object body) {
    context
        .response()
        .setStatusCode(status)
        .putHeader("Content-Type", CONTENT_TYPE)
        .end(text(body));
  }

  /** 503: to be asked again in some seconds. */
  static void busy(RoutingContext context, String reason) {
    context.response().putHeader("Retry-After", "5");
    answer(context, 503, new Reason(reason));
  }

  static void refuse(RoutingContext context, BadParameterException e) {
    answer(context, 400, new BadParameter(e.name(), e.value(), e.rule()));
  }
}
