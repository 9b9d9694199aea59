package org.p3ostream.streams.server;

import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.p3ostream.streams.lookup.NotReadableException;
import org.p3ostream.streams.query.NotReadyException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers that take too long for the event loop, which serves the streams: made one after the other
 * on a thread of their own, a number waiting at most, none for a client that has gone, so that
 * nobody can pile up work here.
 */
final class BoundedWorker implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BoundedWorker.class);

  private final WorkerExecutor worker;
  private final String work;
  private final int mostWaiting;
  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * An answer as it is sent.
   *
   * @param text the whole body
   */
  record Answer(int status, String contentType, String text) {

    /** {@code body} as JSON. */
    static Answer json(int status, Object body) {
      return new Answer(status, Json.CONTENT_TYPE, Json.text(body));
    }
  }

  /**
   * @param work what is done, for messages
   * @param mostWaiting how many may wait, the one in work included
   */
  BoundedWorker(Vertx vertx, String work, int mostWaiting) {
    this.worker =
        vertx.createSharedWorkerExecutor("p3o-" + work.replace(' ', '-'), 1, 60, TimeUnit.SECONDS);
    this.work = work;
    this.mostWaiting = mostWaiting;
  }

  /** Answers as {@code making} says; 503 if it cannot read now, or if too many wait. */
  void answer(RoutingContext context, Callable<Answer> making) {
    if (waiting.incrementAndGet() > mostWaiting) {
      waiting.decrementAndGet();
      Json.busy(context, mostWaiting + " " + work + " are waiting already");
      return;
    }
    worker
        .executeBlocking(() -> context.response().closed() ? null : making.call(), true)
        .onComplete(
            done -> {
              waiting.decrementAndGet();
              Answer answer = done.result();
              if (context.response().closed()) {
                return;
              }
              if (answer != null) {
                context
                    .response()
                    .setStatusCode(answer.status())
                    .putHeader("Content-Type", answer.contentType())
                    .end(answer.text());
              } else if (done.cause() instanceof NotReadableException
                  || done.cause() instanceof NotReadyException) {
                Json.busy(context, String.valueOf(done.cause().getMessage()));
              } else {
                log.warn("One of the {} failed", work, done.cause());
                Json.answer(context, 500, new Json.Reason(done.cause().getClass().getSimpleName()));
              }
            });
  }

  @Override
  public void close() {
    worker.close();
  }
}
