package io.berth.accounting.db;

import io.berth.contracts.ExitStatus;
import io.berth.contracts.Step;
import io.berth.contracts.TasksUsage;
import io.berth.contracts.event.JobEvent;
import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import io.quarkus.panache.common.Sort;
import io.smallrye.mutiny.Uni;
import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A step in the books, entered when its run's part on the node was over. Its times are the node's
/// clock.
@Entity
@Table(name = "step")
@IdClass(StepKey.class)
public class StepRow extends PanacheEntityBase {

    @Id public long job;
    @Id public int lease;
    @Id public String node = "";
    @Id public int number;
    public String name = "";
    public int tasks;
    public int cpus;
    public int gpus;

    @Column(name = "began_at")
    public long beganAt;

    @Column(name = "ended_at")
    public long endedAt;

    /// Null, as the signal is, if it was ended with its run.
    @Column(name = "exit_code")
    public @Nullable Integer exitCode;

    @Column(name = "exit_signal")
    public @Nullable Integer exitSignal;

    @Column(name = "used_cpu_millis")
    public @Nullable Long usedCpuMillis;

    @Column(name = "used_max_memory_mib")
    public @Nullable Long usedMaxMemoryMib;

    @Column(name = "out_of_memory")
    public boolean outOfMemory;

    /// Null where all columns are.
    @Embedded public @Nullable TasksColumns byTask;

    static StepRow of(JobEvent.StepsEnded event, Step step) {
        var row = new StepRow();
        row.job = event.job().value();
        row.lease = event.lease();
        row.node = event.node().value();
        row.number = step.number();
        row.name = Texts.storable(step.name());
        row.tasks = step.tasks();
        row.cpus = step.cpus();
        row.gpus = step.gpus();
        row.beganAt = step.beganAt();
        row.endedAt = step.endedAt();
        ExitStatus exit = step.exit();
        if (exit != null) {
            row.exitCode = exit.code();
            row.exitSignal = exit.signal();
        }
        row.usedCpuMillis = step.cpuMillis();
        row.usedMaxMemoryMib = step.maxMemoryMib();
        row.outOfMemory = Boolean.TRUE.equals(step.outOfMemory());
        TasksUsage each = step.each();
        row.byTask = each == null ? null : TasksColumns.of(each);
        return row;
    }

    StepKey key() {
        return new StepKey(job, lease, node, number);
    }

    /// Those of some jobs, of the newest job first, so many at most. In the current session.
    public static Uni<List<StepRow>> ofJobs(Collection<Long> ids, int most) {
        var order = Sort.descending("job").and("lease").and("node").and("number");
        return StepRow.<StepRow>find(Among.JOBS, order, Map.of("jobs", Among.listed(ids)))
                .range(0, most - 1)
                .list();
    }

    /// What its tasks used one by one; null if nobody counted.
    public @Nullable TasksUsage byTask() {
        return byTask == null ? null : byTask.used();
    }

    public @Nullable ExitStatus exit() {
        return exitCode == null || exitSignal == null ? null : new ExitStatus(exitCode, exitSignal);
    }
}
