package io.berth.core.replay;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/// 64 bits that tell whether a sequence of texts and bytes is another one: its CRC-32 and its
/// CRC-32C, side by side.
///
/// Against chance, and not against somebody who means to deceive: who can write to the topics whose
/// records are compared by it can write the checksum, too. Both are instructions of the processor,
/// and cost a four-hundredth of a SHA-256 where only the first compiler tier is at work.
public final class Checksum {

    private final CRC32 crc32 = new CRC32();
    private final CRC32C crc32c = new CRC32C();

    public Checksum add(String text) {
        return add(text.getBytes(StandardCharsets.UTF_8));
    }

    /// What is added counts as one piece: `ab` and `c` are another sequence than `a` and `bc`.
    public Checksum add(byte[] bytes) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            crc32.update(bytes.length >>> shift);
            crc32c.update(bytes.length >>> shift);
        }
        crc32.update(bytes);
        crc32c.update(bytes);
        return this;
    }

    public long value() {
        return crc32.getValue() << 32 | crc32c.getValue();
    }
}
