package io.berth.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/// What of a record a signature holds for: topic, key, type and value, each after its length, so
/// that no two records give the same bytes.
final class SignedBytes {

    static final String ALGORITHM = "Ed25519";

    /// See [Proof].
    static final String HEADER = "berth_signature";

    private SignedBytes() {}

    static byte[] of(String topic, byte[] key, Headers headers, byte[] value) {
        Header type = headers.lastHeader("ce_type");
        byte[][] parts = {ascii(topic), key, type == null ? new byte[0] : type.value(), value};
        int length = 0;
        for (byte[] part : parts) {
            length += Integer.BYTES + part.length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(length);
        for (byte[] part : parts) {
            bytes.putInt(part.length).put(part);
        }
        return bytes.array();
    }

    /// A key's name.
    ///
    /// @param open its public half, encoded
    static String id(byte[] open) {
        byte[] hash = HashTree.sha256().digest(open);
        return HexFormat.of().formatHex(hash, 0, 8);
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
