package io.berth.log;

import org.jspecify.annotations.Nullable;

/// Why something failed.
public final class Failures {

    private Failures() {}

    /// What it and its causes say, the outermost first, each thing once.
    public static String words(@Nullable Throwable failure) {
        var words = new StringBuilder();
        for (@Nullable Throwable it = failure; it != null; it = it.getCause()) {
            String why = it.getMessage() == null ? it.getClass().getSimpleName() : it.getMessage();
            if (words.indexOf(why) < 0) {
                words.append(words.isEmpty() ? "" : ": ").append(why);
            }
        }
        return words.toString();
    }
}
