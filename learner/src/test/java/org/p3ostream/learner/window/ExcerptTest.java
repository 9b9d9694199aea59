package org.p3ostream.learner.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ExcerptTest {

  @Test
  void shortTextsStayAsTheyAre() {
    assertThat(Excerpt.of("", 40)).isEmpty();
    assertThat(Excerpt.of("a".repeat(40), 40)).isEqualTo("a".repeat(40));
    assertThat(Excerpt.ofNullable(null, 40)).isNull();
  }

  @Test
  void longTextsSayHowLongTheyAre() {
    assertThat(Excerpt.of("a".repeat(1_000_000), 100))
        .isEqualTo("a".repeat(76) + "… (1000000 characters)");
  }

  /** Characters of one to four bytes and halves of pairs, at bounds that cut between any two. */
  @Test
  void noTextIsLargerThanItsBound() {
    String[] characters = {"a", "é", "語", "😀", "\ud83d", "\ude00"};
    for (long seed = 0; seed < 500; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < random.nextInt(120); i++) {
        text.append(characters[random.nextInt(characters.length)]);
      }
      int maxBytes = 40 + random.nextInt(100);
      String excerpt = Excerpt.of(text.toString(), maxBytes);
      int bytes = excerpt.getBytes(StandardCharsets.UTF_8).length;
      assertThat(bytes).as("seed %d", seed).isLessThanOrEqualTo(maxBytes);
      String kept = excerpt.equals(text.toString()) ? excerpt : excerpt.replaceAll("… \\(.*", "");
      assertThat(text.toString()).as("seed %d", seed).startsWith(kept);
      if (!kept.equals(text.toString())) { // nothing is cut that would have had room
        assertThat(bytes).as("seed %d: %s", seed, excerpt).isGreaterThan(maxBytes - 4);
      }
    }
  }
}
