package org.p3ostream.learner.runtime;

import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.policy.torch.TorchRuntime;

/** What bit identity depends on besides the configuration. */
final class RunEnvironment {
  private RunEnvironment() {}

  static Map<String, String> of(LearnerSettings settings) {
    Map<String, String> environment = new TreeMap<>(settings.environment());
    environment.put("torch", TorchRuntime.version());
    environment.put("device", settings.model().device());
    environment.put("threads", Integer.toString(settings.model().threads()));
    return environment;
  }
}
