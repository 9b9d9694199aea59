package org.p3ostream.deploy.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;

/**
 * Standard output that tells when its reader has gone: {@link PrintWriter#checkError()}. A writer
 * around {@code System.out} never does, since that keeps the error to itself.
 */
final class StandardOutput {
  private StandardOutput() {}

  static PrintWriter writer() {
    return to(new FileOutputStream(FileDescriptor.out));
  }

  static PrintWriter to(OutputStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, charset()), true);
  }

  /** Of the terminal, where there is one. */
  private static Charset charset() {
    for (String property : new String[] {"stdout.encoding", "sun.stdout.encoding"}) {
      String name = System.getProperty(property);
      if (name != null && Charset.isSupported(name)) {
        return Charset.forName(name);
      }
    }
    return Charset.defaultCharset();
  }
}
