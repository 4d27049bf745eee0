package io.berth.slurm.session;

import java.util.concurrent.Semaphore;

/// So many bytes of input at most are on their way that the job's end has not said it took.
final class InputWindow {
    static final int BYTES = 1 << 20;

    private final Semaphore room = new Semaphore(BYTES);

    /// Waits until there is room for so many more.
    void await(int bytes) {
        room.acquireUninterruptibly(bytes);
    }

    /// Whether the frame says that some were taken, which is then known.
    boolean took(Frame frame) {
        int took = frame.took();
        if (took > 0) {
            // Others may give input beside this end, whose bytes are not told apart.
            room.release(Math.min(took, BYTES - room.availablePermits()));
        }
        return took > 0;
    }

    /// Who still waits then is told by the connection that it is over.
    void over() {
        room.release(BYTES);
    }
}
