package io.berth.accounting.db;

import java.time.Duration;

/// The database has not answered for so long.
public final class NoAnswer extends RuntimeException {

    NoAnswer(Duration timeout) {
        super("the database has not answered for " + timeout.toSeconds() + " s");
    }
}
