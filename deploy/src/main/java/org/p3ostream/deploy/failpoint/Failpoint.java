package org.p3ostream.deploy.failpoint;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.p3ostream.learner.commit.Stage;

/**
 * A moment and what happens then, written {@code after-send@3:kill}.
 *
 * @param moment on which side of the stage
 * @param stage the stage
 * @param count which time the moment comes, counted from 1
 * @param action what happens
 */
public record Failpoint(Moment moment, Stage stage, int count, Action action) {

  /** Side of a stage. */
  public enum Moment {
    BEFORE,
    AFTER
  }

  /** What happens to the process. */
  public enum Action {
    /** It ends at once, without shutdown hooks. */
    KILL,
    /** It stops itself (SIGSTOP) until somebody continues it. */
    STOP
  }

  private static final Pattern FORM =
      Pattern.compile("(before|after)-([a-z-]+)@(\\d{1,6}):(kill|stop)");

  public Failpoint {
    if (count < 1) {
      throw new IllegalArgumentException("failpoint: count " + count + " must be >= 1");
    }
  }

  /**
   * Inverse of {@link #toString}.
   *
   * @throws IllegalArgumentException naming the text and the form it should have
   */
  public static Failpoint parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "failpoint '" + text + "' must read (before|after)-STAGE@COUNT:(kill|stop)");
    }
    return new Failpoint(
        Moment.valueOf(matcher.group(1).toUpperCase(Locale.ROOT)),
        stage(matcher.group(2)),
        Integer.parseInt(matcher.group(3)),
        Action.valueOf(matcher.group(4).toUpperCase(Locale.ROOT)));
  }

  private static Stage stage(String name) {
    return Stream.of(Stage.values())
        .filter(stage -> stage.toString().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "failpoint: '"
                        + name
                        + "' is not one of "
                        + Stream.of(Stage.values()).map(Stage::toString).toList()));
  }

  /** Moment and stage alone, for instance {@code after-send}. */
  public String name() {
    return moment.name().toLowerCase(Locale.ROOT) + "-" + stage;
  }

  @Override
  public String toString() {
    return name() + "@" + count + ":" + action.name().toLowerCase(Locale.ROOT);
  }
}
