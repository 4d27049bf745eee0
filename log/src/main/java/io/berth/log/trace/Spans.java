package io.berth.log.trace;

/// Where spans go when they have ended.
public interface Spans {

    /// Nobody wants any.
    Spans NONE =
            new Spans() {
                @Override
                public boolean wanted() {
                    return false;
                }

                @Override
                public void ended(Span span) {}
            };

    /// Whether anybody wants spans: if not, none need be made.
    boolean wanted();

    /// Takes a span; never waits.
    void ended(Span span);
}
