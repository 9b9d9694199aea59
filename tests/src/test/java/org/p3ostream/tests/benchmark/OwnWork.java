package org.p3ostream.tests.benchmark;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;

/**
 * The processor time that watchers take for themselves. People watch from machines of their own,
 * which a benchmark on one machine does not have: so this process is as busy while it does not
 * watch as it was while it did, and what is left between the two is what being watched costs.
 */
final class OwnWork {
  private static final long PERIOD_NANOS = 20_000_000;
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final byte[] bytes = new byte[64 * 1024];
  private long cpuNanos;
  private long wallNanos;
  private long cpuAtBegin;
  private long wallAtBegin;
  private volatile double share; // processors, while watching
  private volatile boolean watching;

  OwnWork() {
    Thread thread = new Thread(this::work, "own-work");
    thread.setDaemon(true);
    thread.start();
  }

  /** From here on this process watches. */
  void begin() {
    watching = true;
    cpuAtBegin = SYSTEM.getProcessCpuTime();
    wallAtBegin = System.nanoTime();
  }

  /** From here on it only keeps busy. */
  void end() {
    cpuNanos += SYSTEM.getProcessCpuTime() - cpuAtBegin;
    wallNanos += System.nanoTime() - wallAtBegin;
    share = (double) cpuNanos / wallNanos;
    watching = false;
  }

  /** Processors taken while watching, mean so far. */
  double share() {
    return share;
  }

  private void work() {
    CRC32 sum = new CRC32();
    while (true) {
      long busyUntil = cpuOfThread() + (long) (share * PERIOD_NANOS);
      while (!watching && cpuOfThread() < busyUntil) {
        sum.update(bytes);
        bytes[(int) (sum.getValue() & 0xFFFF)]++;
      }
      LockSupport.parkNanos((long) ((1 - share) * PERIOD_NANOS));
    }
  }

  private static long cpuOfThread() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
