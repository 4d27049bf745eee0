package io.berth.accounting.db;

import io.berth.contracts.TasksUsage;
import io.berth.contracts.TasksUsage.OfTask;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import org.jspecify.annotations.Nullable;

/// What the tasks of a step used one by one, as columns; all are null where nobody counted.
@Embeddable
public class TasksColumns {

    @Column(name = "tasks_counted")
    public @Nullable Integer counted;

    @Column(name = "tasks_cpu_millis")
    public @Nullable Long cpuMillis;

    @Column(name = "tasks_memory_mib")
    public @Nullable Long memoryMib;

    @Column(name = "tasks_read_mib")
    public @Nullable Long readMib;

    @Column(name = "tasks_written_mib")
    public @Nullable Long writtenMib;

    @Column(name = "least_cpu_millis")
    public @Nullable Long leastCpuMillis;

    @Column(name = "least_cpu_task")
    public @Nullable Integer leastCpuTask;

    @Column(name = "most_memory_mib")
    public @Nullable Long mostMemoryMib;

    @Column(name = "most_memory_task")
    public @Nullable Integer mostMemoryTask;

    @Column(name = "most_read_mib")
    public @Nullable Long mostReadMib;

    @Column(name = "most_read_task")
    public @Nullable Integer mostReadTask;

    @Column(name = "most_written_mib")
    public @Nullable Long mostWrittenMib;

    @Column(name = "most_written_task")
    public @Nullable Integer mostWrittenTask;

    static TasksColumns of(TasksUsage used) {
        var columns = new TasksColumns();
        columns.counted = used.tasks();
        columns.cpuMillis = used.cpuMillis();
        columns.memoryMib = used.memoryMib();
        columns.readMib = used.readMib();
        columns.writtenMib = used.writtenMib();
        columns.leastCpuMillis = used.leastCpu().amount();
        columns.leastCpuTask = used.leastCpu().rank();
        columns.mostMemoryMib = used.mostMemory().amount();
        columns.mostMemoryTask = used.mostMemory().rank();
        OfTask read = used.mostRead();
        if (read != null) {
            columns.mostReadMib = read.amount();
            columns.mostReadTask = read.rank();
        }
        OfTask written = used.mostWritten();
        if (written != null) {
            columns.mostWrittenMib = written.amount();
            columns.mostWrittenTask = written.rank();
        }
        return columns;
    }

    @Nullable TasksUsage used() {
        OfTask cpu = ofTask(leastCpuTask, leastCpuMillis);
        OfTask memory = ofTask(mostMemoryTask, mostMemoryMib);
        return counted == null
                        || cpuMillis == null
                        || memoryMib == null
                        || cpu == null
                        || memory == null
                ? null
                : new TasksUsage(
                        counted,
                        cpuMillis,
                        memoryMib,
                        readMib,
                        writtenMib,
                        cpu,
                        memory,
                        ofTask(mostReadTask, mostReadMib),
                        ofTask(mostWrittenTask, mostWrittenMib));
    }

    private static @Nullable OfTask ofTask(@Nullable Integer rank, @Nullable Long amount) {
        return rank == null || amount == null ? null : new OfTask(rank, amount);
    }
}
