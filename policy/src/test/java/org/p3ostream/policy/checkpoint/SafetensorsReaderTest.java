package org.p3ostream.policy.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafetensorsReaderTest {

  @TempDir private Path directory;

  @Test
  void readTakesTensorsByNameWhateverTheirOrderInTheHeader() throws IOException {
    Path file =
        write(
            """
            {"b": {"dtype": "F32", "shape": [1, 2], "data_offsets": [4, 12]},
             "__metadata__": {"format": "pt"},
             "a": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}}""",
            floats(1.5f, -2f, 3f));
    try (SafetensorsReader reader = SafetensorsReader.open(file)) {
      float[] target = new float[4];
      reader.read("b", target, 2);
      reader.read("a", target, 0);
      assertThat(reader.names()).containsExactly("a", "b");
      assertThat(reader.shape("b")).containsExactly(1L, 2L);
      assertThat(target).containsExactly(1.5f, 0, -2, 3);
    }
  }

  /** Bit patterns and values of IEEE 754 binary16. */
  @ParameterizedTest
  @CsvSource({
    "0x3c00, 1", "0xc000, -2", "0x7bff, 65504", "0x0400, 0x1p-14", "0x0001, 0x1p-24",
    "0x03ff, 0x1.ff8p-15", "0x3555, 0x1.554p-2", "0x0000, 0", "0x8000, -0", "0x7c00, Infinity",
    "0xfc00, -Infinity", "0x7e00, NaN",
  })
  void readConvertsFloat16Exactly(String bits, Float expected) throws IOException {
    assertThat(readOne("F16", Integer.decode(bits))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "0x3f80, 1",
    "0xc000, -2",
    "0x4049, 3.140625",
    "0x0001, 0x1p-133",
    "0x7f80, Infinity",
    "0xff80, -Infinity",
    "0x7fc0, NaN",
    "0x8000, -0",
  })
  void readConvertsBfloat16Exactly(String bits, Float expected) throws IOException {
    assertThat(readOne("BF16", Integer.decode(bits))).isEqualTo(expected);
  }

  @Test
  void readCrossesTheBoundaryOfItsBuffer() throws IOException {
    int count = (1 << 18) + 3;
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = i;
    }
    Path file =
        write(
            "{\"a\": {\"dtype\": \"F32\", \"shape\": [%d], \"data_offsets\": [0, %d]}}"
                .formatted(count, 4 * count),
            floats(values));
    try (SafetensorsReader reader = SafetensorsReader.open(file)) {
      float[] target = new float[count];
      reader.read("a", target, 0);
      assertThat(target).isEqualTo(values);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          not json                                                                  | header is no JSON
          [1]                                                                       | header is no JSON object
          {"a": 1}                                                                  | tensor a: needs dtype, shape and two data_offsets
          {"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 8]}}            | tensor a: needs dtype, shape and two data_offsets
          {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0]}}                | tensor a: needs dtype, shape and two data_offsets
          {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}} | Duplicate field 'a'
          {"a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}}             | tensor a: data_offsets [8, 0] must begin at 0
          {"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}             | tensor a: data_offsets [4, 8] must begin at 0
          {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "b": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}} | tensor b: data_offsets [4, 8] must begin at 8
          {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}             | tensors end at byte 4 of 8 data bytes
          {"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}            | tensors end at byte 16 of 8 data bytes
          """)
  void openNamesTheFaultOfTheHeader(String header, String message) throws IOException {
    Path file = write(header, new byte[8]);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SafetensorsReader.open(file))
        .withMessageContaining("model.safetensors: ")
        .withMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}                     | tensor a: shape [3] of F32 does not take 8 bytes
          {"a": {"dtype": "F16", "shape": [2], "data_offsets": [0, 8]}}                     | tensor a: shape [2] of F16 does not take 8 bytes
          {"a": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]}}                     | tensor a: type I64 is none of F32, F16, BF16
          {"a": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 8]}}| tensor a: shape [4294967296, 4294967296] has too many elements
          {"b": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}                     | tensor a is missing
          """)
  void readNamesTheFaultOfTheTensor(String header, String message) throws IOException {
    try (SafetensorsReader reader = SafetensorsReader.open(write(header, new byte[8]))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> reader.read("a", new float[8], 0))
          .withMessageContaining("model.safetensors: ")
          .withMessageContaining(message);
    }
  }

  @Test
  void readRefusesATargetThatIsTooSmall() throws IOException {
    Path file =
        write(
            "{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}}", new byte[8]);
    try (SafetensorsReader reader = SafetensorsReader.open(file)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> reader.read("a", new float[8], 7))
          .withMessageContaining("2 elements do not fit at 7 of 8");
    }
  }

  @Test
  void openRefusesFilesThatEndInsideTheHeader() throws IOException {
    Path file = directory.resolve("model.safetensors");
    Files.write(file, new byte[] {1, 2, 3});
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SafetensorsReader.open(file))
        .withMessageContaining("3 bytes are too few");
    Files.write(file, new byte[] {100, 0, 0, 0, 0, 0, 0, 0, '{', '}'});
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SafetensorsReader.open(file))
        .withMessageContaining("header of 100 bytes in a file of 10");
    Files.write(file, new byte[] {0, 0, 0, 0, 0, 0, 0, (byte) 0x80, '{', '}'});
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SafetensorsReader.open(file))
        .withMessageContaining("header of -9223372036854775808 bytes");
  }

  private Float readOne(String type, int bits) throws IOException {
    Path file =
        write(
            "{\"a\": {\"dtype\": \"%s\", \"shape\": [1], \"data_offsets\": [0, 2]}}"
                .formatted(type),
            new byte[] {(byte) bits, (byte) (bits >> 8)});
    try (SafetensorsReader reader = SafetensorsReader.open(file)) {
      float[] target = new float[1];
      reader.read("a", target, 0);
      return target[0];
    }
  }

  private Path write(String header, byte[] data) throws IOException {
    byte[] json = header.getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes =
        ByteBuffer.allocate(8 + json.length + data.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(json.length).put(json).put(data);
    return Files.write(directory.resolve("model.safetensors"), bytes.array());
  }

  private static byte[] floats(float... values) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(values);
    return bytes.array();
  }
}
