package org.p3ostream.deploy.loss;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.p3ostream.deploy.cli.P3o;

/** What one call of the command line gave. */
record CommandRun(int exitCode, String out, String err) {

  static CommandRun of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        P3o.commandLine()
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err, true))
            .execute(arguments);
    return new CommandRun(exitCode, out.toString(), err.toString());
  }
}
