package org.p3ostream.tests.views;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

/** What can be said of the plots of a page by looking at their pixels. */
final class Plots {
  /** Of a report. */
  static final int COUNT = 8;

  /** Of the dashboard, which has those of a report and further ones. */
  static final int DASHBOARD = 12;

  /**
   * Per plot its id, and how many pixels have one of the colours of lines in the theme that is on.
   */
  private static final String PIXELS =
      """
      [...document.querySelectorAll('.plot')].map((plot) => {
        const canvas = plot.querySelector('canvas');
        if (!canvas) return [plot.id, 0];
        const style = getComputedStyle(document.documentElement);
        const colours = ['a', 'b', 'c', 'd', 'e', 'f'].map((s) => style.getPropertyValue('--series-' + s).trim());
        const wanted = new Set(colours.map((c) => parseInt(c.slice(1), 16)));
        const copy = document.createElement('canvas');
        Object.assign(copy, { width: canvas.width, height: canvas.height });
        const pixels = copy.getContext('2d', { willReadFrequently: true });
        pixels.drawImage(canvas, 0, 0);
        const { data } = pixels.getImageData(0, 0, copy.width, copy.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) {
          if (data[i + 3] === 255 && wanted.has((data[i] << 16) | (data[i + 1] << 8) | data[i + 2])) count++;
        }
        return [plot.id, count];
      })
      """;

  private Plots() {}

  /** Every plot of a report shows something, in colours of the theme that is on. */
  static void assertDrawn(Browser browser) throws Exception {
    assertDrawn(browser, COUNT);
  }

  /** Every plot of a page shows something, in colours of the theme that is on. */
  static void assertDrawn(Browser browser, int count) throws Exception {
    JsonNode pixels = browser.value(PIXELS.strip());
    assertThat(pixels).hasSize(count);
    for (JsonNode plot : pixels) {
      assertThat(plot.get(1).asInt()).as(plot.get(0).asText()).isGreaterThan(50);
    }
  }

  /** Nothing sticks out of the page to the right. */
  static void assertFits(Browser browser) throws Exception {
    JsonNode widths = browser.value("[document.documentElement.scrollWidth, innerWidth]");
    assertThat(widths.get(0).asInt()).isLessThanOrEqualTo(widths.get(1).asInt());
  }
}
