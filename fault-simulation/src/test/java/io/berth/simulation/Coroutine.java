package io.berth.simulation;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// A thread that runs only while another waits for it: so that code which blocks can be simulated
/// step by step, and always in the same way.
final class Coroutine {

    /// What kills it; nobody catches it.
    @SuppressWarnings("serial")
    static final class Killed extends Error {
        private static final Killed INSTANCE = new Killed();

        private Killed() {
            super("killed", null, false, false);
        }
    }

    private final Semaphore its = new Semaphore(0);
    private final Semaphore others = new Semaphore(0);
    private final Thread thread;
    private boolean killed;
    private boolean ended;
    private @Nullable Throwable failure;

    /// @param body begins with the first [#resume]
    Coroutine(Runnable body) {
        thread = Thread.ofVirtual().unstarted(() -> run(body));
    }

    private void run(Runnable body) {
        try {
            body.run();
        } catch (Killed e) {
            // As it should.
        } catch (Throwable e) {
            failure = e;
        } finally {
            ended = true;
            others.release();
        }
    }

    /// Lets it run to its next [#pause], or to its end.
    ///
    /// @throws AssertionError if it fails
    void resume() {
        if (ended) {
            return;
        }
        if (thread.getState() == Thread.State.NEW) {
            thread.start();
        } else {
            its.release();
        }
        others.acquireUninterruptibly();
        if (failure != null) {
            throw new AssertionError("a service fails: " + failure, failure);
        }
    }

    /// It waits here until it is resumed. To be called by itself.
    void pause() {
        check();
        others.release();
        its.acquireUninterruptibly();
        check();
    }

    private void check() {
        if (killed) {
            throw Killed.INSTANCE;
        }
    }

    boolean ended() {
        return ended;
    }

    boolean killed() {
        return killed;
    }

    /// It does nothing more, whatever it was about.
    void kill() {
        killed = true;
        if (thread.getState() == Thread.State.NEW) {
            ended = true;
        }
        resume();
    }
}
