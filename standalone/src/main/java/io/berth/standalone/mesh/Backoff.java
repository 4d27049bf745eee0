package io.berth.standalone.mesh;

import java.time.Duration;

/// How long a part that died waits before it is started again: at once the first time, then four
/// times as long with each death, up to a bound. A part that lived for long starts anew.
///
/// @param deaths in a row
record Backoff(int deaths) {

    static final Backoff NONE = new Backoff(0);

    /// So many deaths in a row are a crash loop.
    private static final int LOOP = 4;

    /// Of a part that cannot start.
    static final Backoff LOOPING = new Backoff(LOOP);

    private static final Duration FIRST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration LONG_LIFE = Duration.ofSeconds(60);

    Backoff afterDeath(Duration life) {
        return life.compareTo(LONG_LIFE) >= 0 ? new Backoff(1) : new Backoff(deaths + 1);
    }

    Duration delay() {
        Duration delay = FIRST.multipliedBy(1L << Math.min(2 * (deaths - 1), 32));
        return delay.compareTo(LONGEST) < 0 ? delay : LONGEST;
    }

    boolean isCrashLoop() {
        return deaths >= LOOP;
    }
}
