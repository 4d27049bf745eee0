package io.berth.accounting.cluster;

/// A cluster file that is refused; the message is one line: where, what is wrong, what is allowed.
public final class InvalidClusterFile extends Exception {

    InvalidClusterFile(String where, String what) {
        super(where.isEmpty() ? what : where + ": " + what);
    }
}
