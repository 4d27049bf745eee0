package io.berth.cli;

import org.jspecify.annotations.Nullable;

/// Job ids on command lines.
final class JobIds {

    private static final int MAX_DIGITS = 18;

    private JobIds() {}

    /// The positive number, null if the text is none.
    static @Nullable Long parse(String text) {
        if (text.isEmpty() || text.length() > MAX_DIGITS) {
            return null;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return null;
            }
        }
        long id = Long.parseLong(text);
        return id == 0 ? null : id;
    }
}
