package org.p3ostream.deploy.cli;

import java.util.Map;
import java.util.TreeMap;

/** What bit identity depends on besides the configuration, read from the process. */
final class RunEnvironment {

  private RunEnvironment() {}

  /** Recorded by a run when it begins. */
  static Map<String, String> read() {
    Map<String, String> found = new TreeMap<>();
    for (String variable :
        new String[] {"ATEN_CPU_CAPABILITY", "MKL_CBWR", "OMP_NUM_THREADS", "OMP_WAIT_POLICY"}) {
      found.put(variable, System.getenv().getOrDefault(variable, ""));
    }
    for (String property : new String[] {"java.version", "os.arch", "os.name"}) {
      found.put(property, System.getProperty(property, ""));
    }
    return found;
  }
}
