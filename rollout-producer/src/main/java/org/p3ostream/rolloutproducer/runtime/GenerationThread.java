package org.p3ostream.rolloutproducer.runtime;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.p3ostream.rolloutproducer.backlog.PendingPrompt;
import org.p3ostream.rolloutproducer.backlog.PromptPosition;
import org.p3ostream.rolloutproducer.generation.GroupSource;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.snapshot.PolicyWeights;

/**
 * The one thread that owns the model, and the one group it works on. All methods belong to the poll
 * thread.
 */
final class GenerationThread implements AutoCloseable {

  /** A group and the prompt it answers. */
  record Generated(PromptPosition position, RolloutGroup group) {}

  private final ExecutorService executor =
      Executors.newSingleThreadExecutor(work -> new Thread(work, "generation"));
  private final GroupSource source;
  private @Nullable Future<Generated> inHand;

  /**
   * Loads the model; returns when it is there.
   *
   * @param factory runs on the generation thread
   */
  GenerationThread(Callable<? extends GroupSource> factory) {
    boolean loaded = false;
    try {
      source = result(executor.submit(factory::call));
      loaded = true;
    } finally {
      if (!loaded) {
        executor.shutdown();
      }
    }
  }

  /**
   * Starts on a prompt; the thread must be idle.
   *
   * @param weights one for each variant
   */
  void start(PendingPrompt prompt, List<PolicyWeights> weights) {
    if (inHand != null) {
      throw new IllegalStateException("still at work when " + prompt.position() + " came");
    }
    inHand =
        executor.submit(
            () -> new Generated(prompt.position(), source.generate(prompt.task(), weights)));
  }

  /** Newer weights for the group in hand, should it go on with them. */
  void offer(PolicyWeights newest) {
    source.arrived(newest);
  }

  boolean isBusy() {
    return inHand != null;
  }

  /** The group in hand, if it is done within {@code timeout}; the thread is idle then. */
  Optional<Generated> await(Duration timeout) throws InterruptedException {
    Future<Generated> future = inHand;
    if (future == null) {
      return Optional.empty();
    }
    try {
      Generated generated = future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      inHand = null;
      return Optional.of(generated);
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  /** Gives up the group in hand, which nobody will publish, and frees the model. */
  @Override
  public void close() {
    source.abandon();
    executor.execute(source::close);
    executor.shutdown();
    boolean interrupted = false;
    while (true) {
      try {
        if (executor.awaitTermination(1, TimeUnit.MINUTES)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static <T> T result(Future<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw failure(e);
    } catch (InterruptedException | CancellationException e) {
      throw new IllegalStateException("interrupted while the model was loaded", e);
    }
  }

  private static RuntimeException failure(ExecutionException e) {
    if (e.getCause() instanceof Error error) {
      throw error;
    }
    return e.getCause() instanceof RuntimeException cause
        ? cause
        : new IllegalStateException(e.getCause());
  }
}
