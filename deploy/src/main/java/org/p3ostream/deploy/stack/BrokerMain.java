package org.p3ostream.deploy.stack;

import kafka.Kafka;
import kafka.tools.StorageTool;

/**
 * The broker's child program: formats the storage if that has not been done, then runs Kafka. One
 * JVM for both saves a start.
 */
public final class BrokerMain {

  private BrokerMain() {}

  /** Arguments: cluster id, properties file. */
  public static void main(String[] arguments) {
    String clusterId = arguments[0];
    String propertiesFile = arguments[1];
    int formatted =
        StorageTool.execute(
            new String[] {"format", "--ignore-formatted", "-t", clusterId, "-c", propertiesFile},
            System.out);
    if (formatted != 0) {
      System.exit(formatted);
    }
    Kafka.main(new String[] {propertiesFile});
  }
}
