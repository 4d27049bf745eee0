package io.berth.accounting.db;

import io.berth.contracts.Allocation;
import io.berth.contracts.Charge;
import io.berth.contracts.Consumption;
import io.berth.contracts.EndedRun;
import io.berth.contracts.GpuConsumption;
import io.berth.contracts.JobState;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.PreemptReason;
import io.berth.contracts.event.JobEvent;
import io.berth.slurm.HostList;
import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import io.quarkus.panache.common.Sort;
import io.smallrye.mutiny.Uni;
import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A run in the books: what it holds, or, once it is over, what it is charged.
@Entity
@Table(name = "run")
@IdClass(RunKey.class)
public class RunRow extends PanacheEntityBase {

    @Id public long job;
    @Id public int lease;

    @Column(name = "node_list")
    public String nodeList = "";

    /// UUIDs of the GPUs that it holds or held, with commas between them.
    @Column(name = "gpu_uuids")
    public String gpuUuids = "";

    /// Billing units per second, in thousandths; 0 if the run was never seen alive.
    @Column(name = "billing_rate")
    public long billingRate;

    @Column(name = "placed_at")
    public long placedAt;

    @Column(name = "started_at")
    public long startedAt;

    /// 0 while the run holds its resources.
    @Column(name = "freed_at")
    public long freedAt;

    @Enumerated(EnumType.STRING)
    public @Nullable JobState outcome;

    /// How long the suspensions that are over lasted.
    @Column(name = "suspended_millis")
    public long suspendedMillis;

    /// When the last of them was over; 0 if there was none.
    @Column(name = "resumed_at")
    public long resumedAt;

    /// Since when it stands still; 0 if it does not.
    @Column(name = "suspended_at")
    public long suspendedAt;

    /// What cut it short though its job went on: PREEMPTED or NODE_FAIL; null is neither.
    @Enumerated(EnumType.STRING)
    public @Nullable JobState ending;

    /// The job that it had to give way to; null if it had not.
    @Column(name = "preempted_by")
    public @Nullable Long preemptedBy;

    /// When that was decided; 0 if it was not.
    @Column(name = "preempted_at")
    public long preemptedAt;

    @Enumerated(EnumType.STRING)
    @Column(name = "preempt_mode")
    public @Nullable PreemptMode preemptMode;

    @Enumerated(EnumType.STRING)
    @Column(name = "preempt_reason")
    public @Nullable PreemptReason preemptReason;

    /// GPU-milliseconds of work that had to be done again.
    @Column(name = "lost_gpu_millis")
    public long lostGpuMillis;

    @Column(name = "exit_code")
    public int exitCode;

    @Column(name = "exit_signal")
    public int exitSignal;

    @Column(name = "used_cpu_millis")
    public @Nullable Long usedCpuMillis;

    @Column(name = "max_memory_mib")
    public @Nullable Long maxMemoryMib;

    @Column(name = "read_mib")
    public @Nullable Long readMib;

    @Column(name = "written_mib")
    public @Nullable Long writtenMib;

    @Column(name = "measured_gpus")
    public @Nullable Integer measuredGpus;

    @Column(name = "gpu_use_percent")
    public @Nullable Integer gpuUsePercent;

    @Column(name = "max_gpu_memory_mib")
    public @Nullable Long maxGpuMemoryMib;

    @Column(name = "gpu_millijoules")
    public @Nullable Long gpuMillijoules;

    /// How many steps it had beyond those in the books.
    @Column(name = "more_steps")
    public int moreSteps;

    /// Its job's when it was placed: it is charged to this one.
    public String account = "";

    @Embedded public ChargeColumns charge = new ChargeColumns();

    static RunRow of(RunKey key, String account, List<Allocation> allocations, long placedAt) {
        var row = new RunRow();
        row.account = account;
        row.job = key.job();
        row.lease = key.lease();
        row.placedAt = placedAt;
        row.nodeList =
                HostList.compress(allocations.stream().map(it -> it.node().value()).toList());
        row.gpuUuids =
                Texts.storable(
                        String.join(
                                ",",
                                allocations.stream().flatMap(it -> it.gpus().stream()).toList()));
        return row;
    }

    /// Those of some jobs, by job and lease. In the current session.
    public static Uni<List<RunRow>> ofJobs(Collection<Long> ids) {
        return RunRow.list(
                Among.JOBS, Sort.by("job").and("lease"), Map.of("jobs", Among.listed(ids)));
    }

    boolean over() {
        return freedAt != 0;
    }

    /// It stands still from then on. What was known before says nothing new.
    void suspend(long at) {
        if (!over() && suspendedAt == 0 && at > resumedAt) {
            suspendedAt = at;
        }
    }

    void resume(long at) {
        if (!over() && suspendedAt != 0 && at >= suspendedAt) {
            suspendedMillis += at - suspendedAt;
            suspendedAt = 0;
            resumedAt = at;
        }
    }

    void preempt(JobEvent.Preempted event) {
        preemptedBy = event.preemptor().value();
        preemptedAt = event.at();
        preemptMode = event.mode();
        preemptReason = event.reason();
        if (!over()) {
            lostGpuMillis = event.lostGpuMillis();
        }
    }

    /// How long it stood still in all, up to now.
    public long suspendedMillis(long now) {
        return suspendedAt == 0 ? suspendedMillis : suspendedMillis + now - suspendedAt;
    }

    void end(EndedRun run) {
        placedAt = run.placedAt();
        startedAt = run.startedAt();
        freedAt = run.freedAt();
        outcome = run.outcome();
        exitCode = run.exit().code();
        exitSignal = run.exit().signal();
        charge = ChargeColumns.of(run.charge());
        suspendedMillis = Objects.requireNonNullElse(run.suspendedMillis(), 0L);
        suspendedAt = 0;
        ending = run.ending();
        lostGpuMillis = Objects.requireNonNullElse(run.lostGpuMillis(), lostGpuMillis);
        Consumption used = run.used();
        if (used != null) {
            usedCpuMillis = used.cpuMillis();
            maxMemoryMib = used.maxMemoryMib();
            readMib = used.readMib();
            writtenMib = used.writtenMib();
            measure(used.gpu());
        }
    }

    private void measure(@Nullable GpuConsumption gpu) {
        if (gpu != null) {
            measuredGpus = gpu.gpus();
            gpuUsePercent = gpu.usePercent();
            maxGpuMemoryMib = gpu.maxMemoryMib();
            gpuMillijoules = gpu.millijoules();
        }
    }

    /// What its processes used; null while it is not over, and where nobody counted.
    public @Nullable Consumption used() {
        return usedCpuMillis == null || maxMemoryMib == null
                ? null
                : new Consumption(usedCpuMillis, maxMemoryMib, readMib, writtenMib, gpu());
    }

    private @Nullable GpuConsumption gpu() {
        return measuredGpus == null
                ? null
                : new GpuConsumption(measuredGpus, gpuUsePercent, maxGpuMemoryMib, gpuMillijoules);
    }

    public Charge charge() {
        return charge.charge();
    }
}
