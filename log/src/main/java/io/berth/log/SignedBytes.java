package io.berth.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/// What of a record a signature holds for: topic, key, type and value, each after its length, so
/// that no two records give the same bytes.
final class SignedBytes {

    static final String ALGORITHM = "Ed25519";

    /// `<key id>:<signature in Base64>`.
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
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(open);
            return HexFormat.of().formatHex(hash, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("name a key: every Java has SHA-256", e);
        }
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
