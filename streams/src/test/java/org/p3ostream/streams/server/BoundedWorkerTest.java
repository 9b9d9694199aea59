package org.p3ostream.streams.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.streams.lookup.NotReadableException;
import org.p3ostream.streams.query.NotReadyException;
import org.p3ostream.streams.server.BoundedWorker.Answer;

class BoundedWorkerTest {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** Lets a test fail, where nothing is refused, rather than wait for ever. */
  private static final Duration LONG = Duration.ofSeconds(30);

  private final Vertx vertx = Vertx.vertx();
  private final BoundedWorker worker = new BoundedWorker(vertx, "pieces of work", 2);
  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch free = new CountDownLatch(1);
  private HttpServer server;

  @BeforeEach
  void serve() {
    Router router = Router.router(vertx);
    router
        .get("/slow")
        .handler(
            context ->
                worker.answer(
                    context,
                    () -> {
                      entered.countDown();
                      free.await();
                      return Answer.json(200, "slow");
                    }));
    router
        .get("/thread")
        .handler(
            context ->
                worker.answer(context, () -> Answer.json(200, Thread.currentThread().getName())));
    router.get("/log").handler(context -> worker.answer(context, BoundedWorkerTest::noLog));
    router.get("/state").handler(context -> worker.answer(context, BoundedWorkerTest::noState));
    router.get("/broken").handler(context -> worker.answer(context, BoundedWorkerTest::broken));
    server =
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .join();
  }

  @AfterEach
  void close() {
    free.countDown();
    worker.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void whoComesWhenEnoughWaitIsToldToAskAgain() throws Exception {
    CompletableFuture<HttpResponse<String>> inWork = ask("/slow");
    entered.await();
    CompletableFuture<HttpResponse<String>> one = ask("/slow");
    CompletableFuture<HttpResponse<String>> other = ask("/slow"); // which comes first is not known

    CompletableFuture.anyOf(one, other).join();
    CompletableFuture<HttpResponse<String>> waiting = one.isDone() ? other : one;
    HttpResponse<String> refused = (one.isDone() ? one : other).join();

    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();
    assertThat(refused.body()).contains("2 pieces of work are waiting already");
    free.countDown();
    assertThat(inWork.join().statusCode()).isEqualTo(200);
    assertThat(waiting.join().statusCode()).isEqualTo(200);
    assertThat(ask("/slow").join().statusCode()).as("there is room again").isEqualTo(200);
  }

  @Test
  void answersAreNotMadeOnTheEventLoop() {
    assertThat(ask("/thread").join().body()).contains("p3o-pieces-of-work");
  }

  @Test
  void whatCannotBeReadNowIsToBeAskedAgainAndWhatBreaksIsNot() {
    assertThat(ask("/log").join().statusCode()).isEqualTo(503);
    assertThat(ask("/state").join().statusCode()).isEqualTo(503);
    assertThat(ask("/state").join().body()).contains("not ready");
    assertThat(ask("/broken").join().statusCode()).isEqualTo(500);
    assertThat(ask("/broken").join().body()).contains("ArithmeticException").doesNotContain("at ");
  }

  private static Answer noLog() {
    throw new NotReadableException("no log");
  }

  private static Answer noState() {
    throw new NotReadyException("not ready");
  }

  private static Answer broken() {
    throw new ArithmeticException("a bug");
  }

  private CompletableFuture<HttpResponse<String>> ask(String path) {
    URI uri = URI.create("http://127.0.0.1:" + server.actualPort() + path);
    return CLIENT.sendAsync(
        HttpRequest.newBuilder(uri).timeout(LONG).build(), HttpResponse.BodyHandlers.ofString());
  }
}
