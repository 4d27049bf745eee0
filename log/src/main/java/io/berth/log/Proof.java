package io.berth.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a signed record carries in its header: who signed, the signature, and, where it was signed
/// together with others, its place among them.
///
/// `<key id>:<signature>` for a record alone, `<key id>:<signature>:<index>/<size>:<path>` for one
/// of several; signature and path in Base64. The signature is of the record's own bytes, or of the
/// root of all.
///
/// @param size how many were signed together; 1 is a record alone
/// @param path see [HashTree#path]
record Proof(String key, byte[] signature, int index, int size, List<byte[]> path) {

    private static final Pattern FORM =
            Pattern.compile(
                    "([0-9a-f]{16}):([A-Za-z0-9+/=]+)(?::(\\d{1,6})/(\\d{1,6}):([A-Za-z0-9+/=]+))?");

    /// No record begins like this: it begins with the length of a topic's name.
    private static final byte[] BATCH = SignedBytes.ascii("berth records, root:");

    static Proof alone(String key, byte[] signature) {
        return new Proof(key, signature, 0, 1, List.of());
    }

    /// Nothing if the header is none, or names a place that its path does not lead from.
    static Optional<Proof> parse(byte[] header) {
        Matcher text = FORM.matcher(new String(header, StandardCharsets.US_ASCII));
        if (!text.matches()) {
            return Optional.empty();
        }
        try {
            byte[] signature = Base64.getDecoder().decode(text.group(2));
            if (text.group(3) == null) {
                return Optional.of(alone(text.group(1), signature));
            }
            int index = Integer.parseInt(text.group(3));
            int size = Integer.parseInt(text.group(4));
            byte[] hashes = Base64.getDecoder().decode(text.group(5));
            return size > 1
                            && index < size
                            && hashes.length
                                    == HashTree.pathLength(index, size) * HashTree.HASH_BYTES
                    ? Optional.of(new Proof(text.group(1), signature, index, size, split(hashes)))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /// What is signed for a whole batch.
    static byte[] batch(byte[] root) {
        return ByteBuffer.allocate(BATCH.length + root.length).put(BATCH).put(root).array();
    }

    /// What the signature must be of, if it is to hold for a record.
    byte[] signed(byte[] record) {
        return size == 1 ? record : batch(HashTree.root(record, index, size, path));
    }

    byte[] header() {
        Base64.Encoder base64 = Base64.getEncoder();
        String text = key + ":" + base64.encodeToString(signature);
        if (size > 1) {
            ByteBuffer hashes = ByteBuffer.allocate(path.size() * HashTree.HASH_BYTES);
            path.forEach(hashes::put);
            text += ":%d/%d:%s".formatted(index, size, base64.encodeToString(hashes.array()));
        }
        return SignedBytes.ascii(text);
    }

    private static List<byte[]> split(byte[] hashes) {
        var path = new ArrayList<byte[]>();
        for (int at = 0; at < hashes.length; at += HashTree.HASH_BYTES) {
            path.add(Arrays.copyOfRange(hashes, at, at + HashTree.HASH_BYTES));
        }
        return path;
    }
}
