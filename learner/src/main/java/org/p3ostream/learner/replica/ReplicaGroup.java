package org.p3ostream.learner.replica;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.p3ostream.learner.forward.ForwardSpec;
import org.p3ostream.learner.forward.PolicyForward;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.loss.LossSum;
import org.p3ostream.learner.loss.TorchObjective;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.torch.TorchRuntime;

/**
 * The replicas of a step. Replica 0 is on the parameters that are updated and runs on the calling
 * thread; every other one has a copy of its own, a device and a thread. A phase ends when every
 * replica has ended it, whatever became of it: none is left behind at work, and nobody waits for
 * one that has failed.
 */
public final class ReplicaGroup implements AutoCloseable {

  private final List<Replica> replicas = new ArrayList<>();
  private final List<ExecutorService> threads = new ArrayList<>(); // of replicas 1, 2, …

  /**
   * @param model of replica 0; stays the caller's to close
   * @param parameters of replica 0, [P], a leaf; stay the caller's to close
   */
  public ReplicaGroup(CausalLm model, NDArray parameters, StepRecipe recipe, List<Device> devices) {
    if (!devices.get(0).equals(model.manager().getDevice())) {
      throw new IllegalArgumentException(
          "the first replica's device is %s, the model is on %s"
              .formatted(devices.get(0), model.manager().getDevice()));
    }
    replicas.add(replica(model, parameters, recipe, () -> {}));
    for (Device device : devices.subList(1, devices.size())) {
      CausalLm copy = model.on(device);
      NDArray own = copy.parameters(new float[copy.layout().size()]); // [P]
      own.setRequiresGradient(true);
      AutoCloseable owned =
          () -> {
            own.close();
            copy.close();
          };
      threads.add(thread(replicas.size()));
      replicas.add(replica(copy, own, recipe, owned));
    }
    if (replicas.size() > 1) {
      replicas.forEach(replica -> replica.leaf().startGradient());
      refresh();
    }
  }

  private static Replica replica(
      CausalLm model, NDArray parameters, StepRecipe recipe, AutoCloseable owned) {
    return new Replica(
        new ParameterLeaf(model.manager(), parameters),
        new PolicyForward(model, parameters, ForwardSpec.of(recipe), recipe.weights()),
        new TorchObjective(model.manager(), recipe.objective(), recipe.regularization()),
        new LossSum(model.manager(), model.shards()),
        owned);
  }

  private static ExecutorService thread(int index) {
    return Executors.newSingleThreadExecutor(
        work -> {
          Thread thread =
              new Thread(
                  () -> {
                    TorchRuntime.prepareThread();
                    work.run();
                  },
                  "replica-" + index);
          thread.setDaemon(true);
          return thread;
        });
  }

  /** R. */
  public int size() {
    return replicas.size();
  }

  /** Micro-batches run forward a second time so far. */
  public int forwardAgain() {
    return replicas.stream().mapToInt(Replica::forwardAgain).sum();
  }

  /** The replica whose parameters are updated. */
  public Replica first() {
    return replicas.get(0);
  }

  /**
   * Runs a phase on every replica at once and waits for all. An interrupt is kept for later: the
   * arrays at work cannot be left to themselves.
   *
   * @param phase given the index of the replica and the replica
   * @return what each gave
   * @throws ReplicaException if any failed: the first one, with the others suppressed
   */
  public <T> List<T> all(Phase<T> phase) {
    List<Future<T>> others = new ArrayList<>();
    for (int k = 1; k < size(); k++) {
      int index = k;
      others.add(threads.get(k - 1).submit(() -> phase.run(index, replicas.get(index))));
    }
    List<T> results = new ArrayList<>();
    ReplicaException failure = null;
    try {
      results.add(phase.run(0, first()));
    } catch (RuntimeException | Error e) {
      failure = new ReplicaException(0, first().leaf().device(), e);
    }
    for (int k = 1; k < size(); k++) {
      try {
        results.add(join(others.get(k - 1)));
      } catch (ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        ReplicaException other = new ReplicaException(k, replicas.get(k).leaf().device(), cause);
        if (failure == null) {
          failure = other;
        } else {
          failure.addSuppressed(other);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
    return results;
  }

  /** What a replica does between two points at which all wait for each other. */
  @FunctionalInterface
  public interface Phase<T> {
    T run(int index, Replica replica);
  }

  private static <T> T join(Future<T> future) throws ExecutionException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return future.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Sums the gradients into replica 0's: g₀ + g₁ + g₂ + …, in this order. Clears the others. */
  public void sumGradients() {
    for (Replica other : replicas.subList(1, size())) {
      first().leaf().addGradientOf(other.leaf());
      other.leaf().clearGradient();
    }
  }

  /** Gives every replica the weights of replica 0. */
  public void refresh() {
    for (Replica other : replicas.subList(1, size())) {
      other.leaf().copyFrom(first().leaf());
    }
  }

  /** Leaves no trace of a window that was given up: no graph, no gradient. */
  public void abandon() {
    all(
        (index, replica) -> {
          replica.release();
          replica.leaf().clearGradient();
          return index;
        });
  }

  /** Ends the threads and closes what the replicas own. */
  @Override
  public void close() {
    threads.forEach(ExecutorService::shutdown); // idle: no phase outlives its call
    for (Replica replica : replicas) {
      try {
        replica.close();
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
