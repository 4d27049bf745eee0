package io.berth.log.trace;

import java.io.Closeable;

/// Where spans go when they have ended.
public interface Spans extends Closeable {

    /// Nobody wants any.
    Spans NONE =
            new Spans() {
                @Override
                public boolean wanted() {
                    return false;
                }

                @Override
                public void ended(Span span) {}

                @Override
                public void close() {}
            };

    /// Whether anybody wants spans: if not, none need be made.
    boolean wanted();

    /// Takes a span; never waits.
    void ended(Span span);

    /// Sends what waits, if it is taken.
    @Override
    void close();
}
