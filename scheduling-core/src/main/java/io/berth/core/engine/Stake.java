package io.berth.core.engine;

/// What a run has to lose, as those see it who would have its place.
///
/// @param ground what the run stands on: a [Preemptor] names the grounds of those whose place it
///   may have; -1 for a run that has been told to give way, or ends anyhow: it loses nothing more
/// @param rank the lower one gives way first, whatever else it loses
/// @param since when the work began that would be lost with it, in epoch milliseconds: its start,
///   or its last checkpoint
/// @param exemptUntil it gives way to nobody before, in epoch milliseconds; of one that has been
///   told: from then on nobody counts on its end any more
/// @param cpus of the whole run, on all its nodes
/// @param gpuThousandths of the whole run, on all its nodes, in thousandths of a GPU
/// @param suspends whether it is stopped and not ended: it gives its CPUs and keeps the rest, and
///   loses nothing
public record Stake(
        int ground,
        long rank,
        long since,
        long exemptUntil,
        int cpus,
        int gpuThousandths,
        boolean suspends) {

    /// Of a run that has been told to give way, or ends anyhow.
    ///
    /// @param until when it can be counted on to have gone, in epoch milliseconds
    /// @param suspends whether it stops, and does not end
    public static Stake told(long until, boolean suspends) {
        return new Stake(-1, Long.MIN_VALUE, 0, until, 0, 0, suspends);
    }

    boolean told() {
        return ground < 0;
    }

    /// What a run gives that holds so much.
    Demand yield(Demand held) {
        return suspends
                ? new Demand(
                        held.cpus(),
                        0,
                        0,
                        -1,
                        Counted.NONE,
                        held.tenant(),
                        Counted.NONE,
                        held.ofCap(),
                        null,
                        held.shared())
                : held;
    }

    /// What a suspended run keeps of that.
    static Demand rest(Demand held) {
        return new Demand(
                        0,
                        held.memoryMib(),
                        held.gpus(),
                        held.lane(),
                        held.tenant(),
                        held.counted())
                .alsoWith(held.more());
    }
}
