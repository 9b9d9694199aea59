package org.p3ostream.streams.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client of the stream that shows what is on the wire: events as they stand, comments too. */
final class EventStream implements AutoCloseable {

  /** One block of lines. */
  record Event(String id, String name, String data) {}

  private static final String NONE = "";

  private final HttpResponse<InputStream> response;
  private final BufferedReader lines;

  private EventStream(HttpResponse<InputStream> response) {
    this.response = response;
    this.lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
  }

  /**
   * @param headers names and values in turn
   */
  static EventStream open(int port, String query, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/stream" + query));
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    return new EventStream(client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
  }

  HttpResponse<InputStream> response() {
    return response;
  }

  /** The next event or comment, a comment's text being its data; waits for it. */
  Event next() throws IOException {
    String id = NONE;
    String name = NONE;
    String data = NONE;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.isEmpty()) {
        return new Event(id, name, data);
      } else if (line.startsWith("id: ")) {
        id = line.substring(4);
      } else if (line.startsWith("event: ")) {
        name = line.substring(7);
      } else if (line.startsWith("data: ")) {
        data = line.substring(6);
      } else {
        data = line; // retry or a comment
      }
    }
    throw new IOException("the stream has ended");
  }

  /** The next event of this name. */
  Event next(String name) throws IOException {
    Event event = next();
    while (!event.name().equals(name)) {
      event = next();
    }
    return event;
  }

  /** Ids of the next {@code count} steps. */
  List<Long> steps(int count) throws IOException {
    List<Long> ids = new ArrayList<>();
    while (ids.size() < count) {
      ids.add(Long.valueOf(next("step").id()));
    }
    return ids;
  }

  @Override
  public void close() throws IOException {
    response.body().close();
  }
}
