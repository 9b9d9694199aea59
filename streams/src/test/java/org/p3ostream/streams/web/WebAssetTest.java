package org.p3ostream.streams.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WebAssetTest {

  /** Addresses that name something and are never fetched. */
  private static final Pattern NAMES =
      Pattern.compile("http://www\\.w3\\.org/2000/svg|https://github\\.com/leeoniya/uPlot \\(v");

  @ParameterizedTest
  @EnumSource
  void noFileNamesAnAddressElsewhere(WebAsset asset) {
    assertThat(NAMES.matcher(asset.text()).replaceAll("")).doesNotContainPattern("https?://|//cdn");
  }
}
