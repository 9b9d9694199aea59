package org.p3ostream.policy.torch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The archive that the native loader reads as a TorchScript module without parameters: a zip of
 * uncompressed entries with a format version, two pickles and the source text.
 */
final class ScriptArchive {

  /** Version of the archive format. */
  private static final byte[] FORMAT_VERSION = ascii("3\n");

  /** Pickle, protocol 2: the empty tuple. */
  private static final byte[] NO_CONSTANTS = {(byte) 0x80, 2, ')', '.'};

  private static final String CLASS_HEADER =
      """
      class M(Module):
        __parameters__ = []
        __buffers__ = []
        training : bool
      """;

  private ScriptArchive() {}

  /** Source text of the module's class; {@code methods} are indented into it. */
  static String classSource(String methods) {
    return CLASS_HEADER + methods.stripTrailing().indent(2);
  }

  /** Bytes of the archive of a class made by {@link #classSource}. */
  static byte[] of(String classSource) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      store(zip, "m/version", FORMAT_VERSION);
      store(zip, "m/constants.pkl", NO_CONSTANTS);
      store(zip, "m/data.pkl", instancePickle());
      store(zip, "m/code/__torch__.py", classSource.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return bytes.toByteArray();
  }

  /** Pickle, protocol 2: an instance of {@code __torch__.M} whose state is {training: False}. */
  private static byte[] instancePickle() {
    ByteArrayOutputStream pickle = new ByteArrayOutputStream();
    pickle.writeBytes(new byte[] {(byte) 0x80, 2}); // PROTO 2
    pickle.writeBytes(ascii("c__torch__\nM\n")); // GLOBAL
    pickle.writeBytes(new byte[] {'q', 0, ')', (byte) 0x81, '}', '('}); // memo, NEWOBJ, dict, MARK
    pickle.writeBytes(new byte[] {'X', 8, 0, 0, 0}); // BINUNICODE of 8 bytes
    pickle.writeBytes(ascii("training"));
    pickle.writeBytes(new byte[] {'q', 1, (byte) 0x89, 'u', 'b', '.'}); // False, SETITEMS, BUILD
    return pickle.toByteArray();
  }

  private static void store(ZipOutputStream zip, String name, byte[] content) throws IOException {
    CRC32 checksum = new CRC32();
    checksum.update(content);
    ZipEntry entry = new ZipEntry(name);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(content.length);
    entry.setCrc(checksum.getValue());
    zip.putNextEntry(entry);
    zip.write(content);
    zip.closeEntry();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
