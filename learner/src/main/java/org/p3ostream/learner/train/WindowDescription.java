package org.p3ostream.learner.train;

import org.p3ostream.learner.window.Window;

/** A window in messages: its index and where its groups lie. */
final class WindowDescription {

  private WindowDescription() {}

  static String of(Window window, String what) {
    return "window "
        + window.index()
        + ": "
        + what
        + ". Groups: "
        + window.groups().stream()
            .map(group -> group.groupId() + " at " + group.coordinate())
            .toList();
  }
}
