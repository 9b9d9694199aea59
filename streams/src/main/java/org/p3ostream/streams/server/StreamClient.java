package org.p3ostream.streams.server;

import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.live.RunOrigin;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.live.StepView;

/**
 * One client of the stream: a position in the step log. It is written to only while it takes what
 * it is sent, so nothing is buffered for it beyond one write queue; a client that falls behind
 * reads from the log later, or learns of the gap when the log has dropped what it missed.
 *
 * <p>Confined to the event loop.
 */
final class StreamClient {
  private static final int STEPS_PER_WRITE = 32;
  private static final int WRITE_QUEUE_BYTES = 64 * 1024;

  /** Writes after which others get their turn, however much this client would take. */
  private static final int WRITES_PER_TURN = 8;

  private final HttpServerResponse response;
  private final StepLog log;
  private final RenderedSteps rendered;
  private final Consumer<Runnable> later;
  private long nextStep;
  private @Nullable RunOrigin announced;
  private long stalledSinceNanos;
  private boolean stalled;

  /**
   * @param rendered shared with the other clients
   * @param later runs something on the event loop, behind what waits there
   */
  StreamClient(
      HttpServerResponse response,
      StepLog log,
      long from,
      RenderedSteps rendered,
      Consumer<Runnable> later) {
    this.response = response;
    this.log = log;
    this.rendered = rendered;
    this.later = later;
    this.nextStep = from;
  }

  /** Sends headers and what is held. */
  void begin() {
    response
        .setChunked(true)
        .setWriteQueueMaxSize(WRITE_QUEUE_BYTES)
        .putHeader("Content-Type", "text/event-stream; charset=utf-8")
        .drainHandler(drained -> resume());
    announced = log.origin();
    response.write("retry: 1000\n\n" + ServerSentEvent.run(log));
    send();
  }

  /** Sends what is new, as far as the client takes it. */
  void send() {
    for (int writes = 0; !stalled && !response.closed(); writes++) {
      if (writes == WRITES_PER_TURN) {
        later.accept(this::send);
        return;
      }
      if (response.writeQueueFull()) {
        stall();
        return;
      }
      String events = nextEvents();
      if (events.isEmpty()) {
        return;
      }
      response.write(events);
    }
  }

  /**
   * Sends a comment, unless the client takes nothing.
   *
   * @return false once it has taken nothing for {@code stallMillis}
   */
  boolean heartbeat(long stallMillis) {
    if (stalled) {
      return System.nanoTime() - stalledSinceNanos < stallMillis * 1_000_000;
    }
    if (response.writeQueueFull()) {
      stall();
    } else {
      response.write(ServerSentEvent.HEARTBEAT);
    }
    return true;
  }

  private void stall() {
    stalled = true;
    stalledSinceNanos = System.nanoTime();
  }

  private void resume() {
    stalled = false;
    send();
  }

  private String nextEvents() {
    StringBuilder events = new StringBuilder();
    if (!Objects.equals(announced, log.origin())) {
      announced = log.origin();
      events.append(ServerSentEvent.run(log));
    }
    List<StepView> steps = log.page(nextStep, STEPS_PER_WRITE);
    for (StepView step : steps) {
      if (step.step() > nextStep) {
        events.append(ServerSentEvent.gap(nextStep, step.step() - 1));
      }
      events.append(rendered.of(step));
      nextStep = step.step() + 1;
    }
    return events.toString();
  }
}
