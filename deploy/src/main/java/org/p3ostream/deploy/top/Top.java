package org.p3ostream.deploy.top;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jline.terminal.Attributes;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.InfoCmp.Capability;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.log.TerminalText;

/** The terminal view: once, or again and again until q or Ctrl-C. */
public final class Top {

  /** Of output that is no terminal. */
  private static final int COLUMNS = 120;

  private static final int CTRL_C = 3;

  private final LiveApi api;
  private final RunWatch watch;
  private final Duration interval;
  private volatile boolean stopped;

  /**
   * @param server address of the metrics' server
   * @param token its bearer token; null if it asks for none
   * @param interval between two looks
   */
  public Top(URI server, @Nullable String token, Duration interval) {
    this.api = new LiveApi(server, token);
    this.watch = new RunWatch(api, Clock.systemUTC());
    this.interval = interval;
  }

  /**
   * Prints what there is now.
   *
   * @throws IOException if nobody answers
   */
  public void once(PrintWriter out) throws IOException, InterruptedException {
    screen(Charset.defaultCharset())
        .render(watch.look(), COLUMNS, Integer.MAX_VALUE)
        .forEach(line -> out.println(line.stripTrailing()));
    out.flush();
  }

  /**
   * Shows the run on the terminal of this process until q or Ctrl-C, or {@link #stop()}. The
   * terminal is then as it was.
   *
   * @return false, having shown nothing, if this process has no terminal that can be drawn on
   */
  public boolean show() throws IOException, InterruptedException {
    try (Terminal terminal = TerminalBuilder.builder().system(true).dumb(true).build()) {
      if (terminal.getType().startsWith(Terminal.TYPE_DUMB)) {
        return false;
      }
      Attributes before = terminal.enterRawMode();
      terminal.handle(Terminal.Signal.INT, signal -> stop());
      terminal.puts(Capability.enter_ca_mode);
      terminal.puts(Capability.cursor_invisible);
      try {
        draw(terminal);
      } finally {
        terminal.puts(Capability.cursor_normal);
        terminal.puts(Capability.exit_ca_mode);
        terminal.setAttributes(before);
        terminal.flush();
      }
      return true;
    }
  }

  /** Lets {@link #show} return within a fraction of a second. Safe from any thread. */
  public void stop() {
    stopped = true;
  }

  private void draw(Terminal terminal) throws IOException, InterruptedException {
    TopScreen screen = screen(terminal.encoding());
    while (!stopped) {
      int columns = Math.max(20, terminal.getWidth());
      int rows = Math.max(4, terminal.getHeight());
      List<String> lines = lines(screen, columns, rows - 1);
      StringBuilder frame = new StringBuilder("\u001b[H");
      lines.forEach(line -> frame.append(line).append("\u001b[K\r\n"));
      frame.append(TopScreen.cut("q ends", columns)).append("\u001b[J");
      terminal.writer().print(frame);
      terminal.writer().flush();
      awaitKey(terminal, columns, rows);
    }
  }

  private List<String> lines(TopScreen screen, int columns, int rows) throws InterruptedException {
    try {
      return screen.render(watch.look(), columns, rows);
    } catch (IOException e) {
      List<String> lines = new ArrayList<>();
      lines.add("p3o top  " + api.base());
      lines.add(
          "nobody answers; asking again: " + TerminalText.inline(String.valueOf(e.getMessage())));
      return lines.stream().map(line -> TopScreen.cut(line, columns)).toList();
    }
  }

  /** Until the interval is over, a key ends the view, or the terminal has another size. */
  private void awaitKey(Terminal terminal, int columns, int rows) throws IOException {
    long end = System.nanoTime() + interval.toNanos();
    while (!stopped && System.nanoTime() < end) {
      int key = terminal.reader().read(50L);
      if (key == 'q' || key == 'Q' || key == CTRL_C || key == -1) {
        stopped = true;
      }
      if (terminal.getWidth() != columns || terminal.getHeight() != rows) {
        return;
      }
    }
  }

  private TopScreen screen(Charset charset) {
    return new TopScreen(
        api.base(), ZoneId.systemDefault(), charset.equals(StandardCharsets.UTF_8));
  }
}
