package io.berth.accounting;

/// Why something failed, in one line.
final class Causes {

    private Causes() {}

    /// The innermost cause's name and the first line of its message.
    static String words(Throwable e) {
        Throwable innermost = e;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        return innermost.toString().lines().findFirst().orElse("unknown");
    }
}
