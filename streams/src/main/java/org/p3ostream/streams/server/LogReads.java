package org.p3ostream.streams.server;

import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.p3ostream.streams.lookup.NotReadableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers that take a read of the log: made on one worker thread, a few waiting at most, so that
 * nobody can pile up work here.
 */
final class LogReads implements AutoCloseable {
  private static final int MOST_WAITING = 8;
  private static final Logger log = LoggerFactory.getLogger(LogReads.class);

  private final WorkerExecutor worker;
  private final AtomicInteger waiting = new AtomicInteger();

  LogReads(Vertx vertx) {
    this.worker = vertx.createSharedWorkerExecutor("p3o-log-reads", 1, 60, TimeUnit.SECONDS);
  }

  /** Answers with status and body of {@code read}, 503 if the log cannot be read. */
  void answer(RoutingContext context, Callable<Answer> read) {
    if (waiting.incrementAndGet() > MOST_WAITING) {
      waiting.decrementAndGet();
      Json.busy(context, MOST_WAITING + " reads of the log are waiting already");
      return;
    }
    worker
        .executeBlocking(read, true)
        .onComplete(
            done -> {
              waiting.decrementAndGet();
              if (context.response().closed()) {
                return;
              }
              if (done.succeeded()) {
                Json.answer(context, done.result().status(), done.result().body());
              } else if (done.cause() instanceof NotReadableException e) {
                Json.busy(context, String.valueOf(e.getMessage()));
              } else {
                log.warn("A read of the log failed", done.cause());
                Json.answer(context, 500, new Json.Reason(done.cause().getClass().getSimpleName()));
              }
            });
  }

  /** What a read came to. */
  record Answer(int status, Object body) {}

  @Override
  public void close() {
    worker.close();
  }
}
