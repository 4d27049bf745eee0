package io.berth.log;

import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Keys as text.
///
/// Source: RFC 7468.
final class Pem {

    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private Pem() {}

    static String text(String kind, byte[] content) {
        return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
                .formatted(kind, LINES.encodeToString(content));
    }

    /// The first block of that kind.
    ///
    /// @throws IllegalArgumentException if there is none
    static byte[] block(String text, String kind) {
        Matcher block =
                Pattern.compile(
                                "-----BEGIN %1$s-----([A-Za-z0-9+/=\\s]+)-----END %1$s-----"
                                        .formatted(kind))
                        .matcher(text);
        if (!block.find()) {
            throw new IllegalArgumentException("it has no " + kind);
        }
        return Base64.getMimeDecoder().decode(block.group(1));
    }
}
