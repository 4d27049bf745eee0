package io.berth.core.engine;

/// Who takes the engine's decisions. The engine's own state holds them already when it says them.
public interface Decisions {

    /// Whether limits let the job start now. A job that they hold back is passed over: it keeps
    /// nothing for itself.
    boolean admits(Waiting job);

    /// The job starts now.
    ///
    /// @param nodes larger parts first
    void started(Waiting job, int[] nodes);

    /// The job is expected to start at that time.
    ///
    /// @param place in the order of the plan: jobs of a lower place were planned first
    void planned(Waiting job, long start, int[] nodes, long place);

    /// The job has no expected start any more.
    void unplanned(Waiting job);
}
