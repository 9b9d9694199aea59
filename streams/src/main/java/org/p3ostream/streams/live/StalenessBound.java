package org.p3ostream.streams.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.jspecify.annotations.Nullable;

/**
 * The staleness that a run's configuration allows, in policy versions.
 *
 * <pre>  maxStaleness + syncInterval − 1 + versionsBack, and window.maxStaleness if that is less
 * </pre>
 */
final class StalenessBound {
  private static final ObjectMapper JSON = new ObjectMapper();

  private StalenessBound() {}

  /** Bound of the configuration that the ledger records; null if it does not tell. */
  static @Nullable Long of(@Nullable String configuration) {
    if (configuration == null) {
      return null;
    }
    JsonNode tree;
    try {
      tree = JSON.readTree(configuration);
    } catch (JsonProcessingException e) {
      return null; // another program's ledger: nothing to hold it to
    }
    JsonNode dispatch = tree.path("dispatch");
    if (!dispatch.path("maxStaleness").isIntegralNumber()) {
      return null;
    }
    long bound =
        dispatch.path("maxStaleness").asLong()
            + dispatch.path("syncInterval").asLong(1)
            - 1
            + dispatch.path("versionsBack").asLong(0);
    JsonNode refused = tree.path("window").path("maxStaleness");
    return refused.isIntegralNumber() ? Math.min(bound, refused.asLong()) : (Long) bound;
  }
}
