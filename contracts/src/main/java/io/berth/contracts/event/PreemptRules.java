package io.berth.contracts.event;

import io.berth.contracts.PreemptMode;
import org.jspecify.annotations.Nullable;

/// How jobs take the place of others. What a partition or QOS says of its own jobs outranks it.
///
/// @param type what gives a job the right (PreemptType)
/// @param mode what becomes of the jobs that give way (PreemptMode)
/// @param gang whether a suspended job and the one that it gave way for take turns in the same
///   partition (PreemptMode's GANG)
/// @param gpuMode what becomes of a job with GPUs where the mode is SUSPEND, since a suspended job
///   keeps its GPUs: OFF, CANCEL or REQUEUE
/// @param exemptSeconds for which a run gives way to nobody (PreemptExemptTime)
/// @param youngestFirst whether those give way first that began last, and not those who lose the
///   least GPU time (PreemptParameters' youngest_first)
/// @param mostVictims of one job; 0 is any number
/// @param leastGap how far the job must stand above its victims: in tiers, or in points of QOS
///   priority; 0 and 1 are the same for tiers
/// @param requeueDelaySeconds for which a requeued victim does not start again
/// @param timeSliceSeconds of a turn (SchedulerTimeSlice)
/// @param deadlineSeconds a job with a deadline may, from so many seconds before the last moment at
///   which it must start to keep it, have the place of jobs that have none and are of its own
///   standing; null is never
/// @param reclaim whether a job may have back from others what its account is guaranteed and they
///   have borrowed; null is no
public record PreemptRules(
        Type type,
        PreemptMode mode,
        boolean gang,
        PreemptMode gpuMode,
        long exemptSeconds,
        boolean youngestFirst,
        int mostVictims,
        int leastGap,
        long requeueDelaySeconds,
        long timeSliceSeconds,
        @Nullable Long deadlineSeconds,
        @Nullable Boolean reclaim) {

    public PreemptRules {
        reclaim = Boolean.TRUE.equals(reclaim) ? true : null;
    }

    /// Those by which nobody has back what others have borrowed.
    public PreemptRules(
            Type type,
            PreemptMode mode,
            boolean gang,
            PreemptMode gpuMode,
            long exemptSeconds,
            boolean youngestFirst,
            int mostVictims,
            int leastGap,
            long requeueDelaySeconds,
            long timeSliceSeconds,
            @Nullable Long deadlineSeconds) {
        this(
                type,
                mode,
                gang,
                gpuMode,
                exemptSeconds,
                youngestFirst,
                mostVictims,
                leastGap,
                requeueDelaySeconds,
                timeSliceSeconds,
                deadlineSeconds,
                null);
    }

    /// Whether a job may have back from others what its account is guaranteed.
    public boolean reclaims() {
        return reclaim != null;
    }

    /// What gives a job the right to another one's place.
    public enum Type {
        /// Nothing does.
        NONE,
        /// A partition of a higher tier.
        PARTITION_PRIO,
        /// A QOS that names the other's.
        QOS
    }

    public static final PreemptRules NONE =
            new PreemptRules(
                    Type.NONE,
                    PreemptMode.OFF,
                    false,
                    PreemptMode.REQUEUE,
                    0,
                    false,
                    0,
                    0,
                    0,
                    30,
                    null);
}
