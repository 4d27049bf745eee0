package io.berth.contracts.event;

import io.berth.contracts.Limits;
import io.berth.contracts.PreemptMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a QOS gives and takes.
///
/// @param usageFactorThousandths what its usage counts, in thousandths
/// @param graceSeconds between the notice of a preempted job and its end (GraceTime)
/// @param preempt the QOS whose jobs its jobs may preempt
/// @param preemptMode what becomes of its jobs when another QOS takes their place; null is the
///   cluster's
/// @param exemptSeconds for which its jobs give way to nobody; null is as in the cluster
///   (PreemptExemptTime)
public record QosRules(
        String description,
        List<Flag> flags,
        int usageFactorThousandths,
        long graceSeconds,
        List<String> preempt,
        @Nullable PreemptMode preemptMode,
        Limits limits,
        @Nullable Long exemptSeconds) {

    /// A QOS whose jobs are exempt as long as all are.
    public QosRules(
            String description,
            List<Flag> flags,
            int usageFactorThousandths,
            long graceSeconds,
            List<String> preempt,
            @Nullable PreemptMode preemptMode,
            Limits limits) {
        this(
                description,
                flags,
                usageFactorThousandths,
                graceSeconds,
                preempt,
                preemptMode,
                limits,
                null);
    }

    /// How limits and usage are treated in a QOS.
    public enum Flag {
        /// A job that no limit of a job could ever allow is refused, and does not wait.
        DENY_ON_LIMIT,
        /// Its jobs count for no fair share and for no limit of used minutes.
        NO_DECAY,
        /// Its limits are read before those of the partition's QOS.
        OVER_PART_QOS,
        /// Its jobs may exceed the partition's time limit.
        PARTITION_TIME_LIMIT,
        /// Its jobs may ask for more nodes than the partition allows.
        PARTITION_MAX_NODES,
        /// Its jobs may ask for fewer nodes than the partition wants.
        PARTITION_MIN_NODES,
        /// Its jobs must name a reservation.
        REQUIRES_RESERVATION,
        /// Its jobs never keep resources for themselves while they wait.
        NO_RESERVE
    }

    public static final QosRules NONE =
            new QosRules("", List.of(), 1000, 0, List.of(), null, Limits.NONE);

    public QosRules {
        flags = flags.stream().distinct().sorted().toList();
        preempt = List.copyOf(preempt);
    }

    public boolean has(Flag flag) {
        return flags.contains(flag);
    }
}
