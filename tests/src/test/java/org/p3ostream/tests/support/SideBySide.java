package org.p3ostream.tests.support;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Tests whose runs go on side by side, a few at a time: each of them mostly waits for the broker.
 */
public final class SideBySide {

  private static final int AT_A_TIME = 4;

  private SideBySide() {}

  /** Makes a run of its own. */
  @FunctionalInterface
  public interface Work<C, R> {
    R run(C what) throws Throwable;
  }

  /** What a run is held to. */
  @FunctionalInterface
  public interface Check<C, R> {
    void check(C what, R result) throws Throwable;
  }

  /** A test for each, in their order, under the name that each says it has. */
  public static <C, R> Stream<DynamicTest> run(List<C> all, Work<C, R> work, Check<C, R> check) {
    ExecutorService pool = Executors.newFixedThreadPool(AT_A_TIME);
    Map<C, CompletableFuture<R>> results = new LinkedHashMap<>();
    for (C each : all) {
      results.put(each, CompletableFuture.supplyAsync(() -> completed(work, each), pool));
    }
    pool.shutdown();
    return all.stream()
        .map(
            each ->
                DynamicTest.dynamicTest(
                    each.toString(), () -> check.check(each, result(results.get(each)))));
  }

  private static <C, R> R completed(Work<C, R> work, C what) {
    try {
      return work.run(what);
    } catch (Throwable e) {
      throw new CompletionException(e);
    }
  }

  private static <R> R result(CompletableFuture<R> future) throws Throwable {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause();
    }
  }
}
