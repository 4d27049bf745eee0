package io.berth.accounting.db;

/// Texts as PostgreSQL takes them.
final class Texts {

    private Texts() {}

    /// The text with U+FFFD for each NUL, which no `text` column can hold.
    static String storable(String text) {
        return text.replace('\0', '\uFFFD');
    }
}
