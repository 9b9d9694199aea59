package org.p3ostream.deploy.demo;

/** A word of a command line to be pasted into a shell. */
final class ShellWord {

  private ShellWord() {}

  /** {@code word}, in quotes if it needs them. */
  static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./:=@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
