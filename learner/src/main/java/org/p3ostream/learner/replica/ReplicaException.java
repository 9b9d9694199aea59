package org.p3ostream.learner.replica;

import ai.djl.Device;

/** A replica that could not do its share. */
public final class ReplicaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ReplicaException(int index, Device device, Throwable cause) {
    super("replica " + index + " on " + device + " failed: " + cause, cause);
  }
}
