package org.p3ostream.deploy.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TerminalTextTest {

  @Test
  void inlineLeavesOrdinaryTextAlone() {
    String text = "1+1=2 \\frac é 漢字 👩\u200D💻 ن\u200Cم";
    assertThat(TerminalText.inline(text)).isEqualTo(text);
  }

  @Test
  void inlineEscapesWhatATerminalWouldObey() {
    assertThat(TerminalText.inline("\u001B[31mred\u0007\b"))
        .isEqualTo("\\u001b[31mred\\u0007\\u0008");
    assertThat(TerminalText.inline("a\rb\tc\nd\u007F\u0085\u009B"))
        .isEqualTo("a\\rb\\tc\\nd\\u007f\\u0085\\u009b");
    assertThat(TerminalText.inline("\u202Egnp.exe\u2066\u2028\uFEFF"))
        .isEqualTo("\\u202egnp.exe\\u2066\\u2028\\ufeff");
    assertThat(TerminalText.inline("\uD800 " + Character.toString(0xE0001)))
        .isEqualTo("\\ud800 \\u{E0001}");
  }

  @Test
  void linesCutAtLineFeedsOnly() {
    assertThat(TerminalText.lines("a\nb\r\n\nc")).containsExactly("a", "b\\r", "", "c");
    assertThat(TerminalText.lines("")).containsExactly("");
    assertThat(TerminalText.lines("\n")).containsExactly("", "");
  }
}
