package io.berth.core.placement;

import io.berth.contracts.JobDescription;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.PreemptRules.Type;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// On which terms runs give way: what becomes of them, from when on they may have to, and how long
/// before they are told. Their partition says so, or, with that `PreemptType` of the cluster, their
/// QOS; else the cluster.
///
/// Source: slurm.conf(5), "PreemptMode", "PreemptExemptTime", "GraceTime"; sacctmgr(1).
public final class VictimTerms {

    private final Configuration configuration;
    private final PreemptRules rules;

    public VictimTerms(Configuration configuration) {
        this.configuration = configuration;
        this.rules = configuration.cluster().preemptRules();
    }

    /// The partition or QOS on whose terms the job runs.
    String standing(JobDescription job) {
        return rules.type() == Type.QOS ? job.qos() : job.partition();
    }

    /// From when on a run of the job may have to give way; null if it never does.
    ///
    /// @param since when it began, in epoch milliseconds as is the answer
    public @Nullable Long givesWayFrom(JobDescription job, long since) {
        return mode(job) == PreemptMode.OFF
                ? null
                : since + TimeUnit.SECONDS.toMillis(exemptSeconds(job));
    }

    private long exemptSeconds(JobDescription job) {
        Qos qos = configuration.qos().get(job.qos());
        Long own = qos == null ? null : qos.ownRules().exemptSeconds();
        return own == null ? rules.exemptSeconds() : own;
    }

    /// What becomes of a job that gives way. One that keeps GPUs is not suspended; one that must
    /// not start again is cancelled.
    PreemptMode mode(JobDescription job) {
        PreemptMode mode = own(standing(job));
        if (mode == PreemptMode.SUSPEND && job.request().totalGpus() > 0) {
            mode = rules.gpuMode();
        }
        return mode == PreemptMode.REQUEUE && !job.requeue() ? PreemptMode.CANCEL : mode;
    }

    /// What becomes of jobs of a partition, or of a QOS with that type of preemption, unless they
    /// have GPUs.
    public PreemptMode own(String standing) {
        Partition partition = configuration.partitions().get(standing);
        Qos qos = configuration.qos().get(standing);
        PreemptMode own =
                switch (rules.type()) {
                    case NONE -> rules.reclaims() ? ofPartition(partition) : PreemptMode.OFF;
                    case PARTITION_PRIO -> ofPartition(partition);
                    case QOS -> qos == null ? null : qos.ownRules().preemptMode();
                };
        return own == null ? rules.mode() : own;
    }

    private static @Nullable PreemptMode ofPartition(@Nullable Partition partition) {
        return partition == null ? null : partition.partitionRules().preemptMode();
    }

    public long graceSeconds(String standing) {
        Partition partition = configuration.partitions().get(standing);
        Qos qos = configuration.qos().get(standing);
        return switch (rules.type()) {
            case NONE, PARTITION_PRIO ->
                    partition == null ? 0 : partition.partitionRules().graceSeconds();
            case QOS -> qos == null ? 0 : qos.ownRules().graceSeconds();
        };
    }
}
