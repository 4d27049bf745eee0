package io.berth.simulation;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.ResourceRequest;
import io.berth.core.testing.TestCell;
import io.berth.slurm.JobSubmission;
import io.berth.slurm.SubmissionDraft;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// What somebody wants of a simulated mesh.
///
/// @param components of a heterogeneous job those after the first
/// @param key null if the request has none
/// @param delayMillis `--begin=now+…`
record Wish(
        JobDescription description,
        List<JobDescription> components,
        @Nullable String key,
        long delayMillis) {

    private static final long MEMORY_PER_CPU_MIB = 1024;

    /// @param number of those before
    static Wish of(int number, RandomGenerator random) {
        JobDescription description = description(random);
        // Every third is a heterogeneous job of two components.
        List<JobDescription> components =
                number % 3 == 1 ? List.of(description.with(TestCell.gpus(1, 1, null))) : List.of();
        String key = random.nextInt(4) == 0 ? null : "key-" + number;
        long delay = components.isEmpty() && random.nextInt(6) == 0 ? random.nextInt(30_000) : 0;
        return new Wish(description, components, key, delay);
    }

    private static JobDescription description(RandomGenerator random) {
        int gang = random.nextInt(4) == 0 ? 2 : 1;
        var wanted =
                new ResourceRequest(
                        gang,
                        gang * (1 + random.nextInt(2)),
                        1 + random.nextInt(2),
                        MemoryRequest.perCpu(MEMORY_PER_CPU_MIB),
                        new GpuRequest(random.nextInt(5), null));
        return new JobDescription(
                random.nextBoolean() ? "alice" : "bob",
                "team",
                "batch",
                "normal",
                "job",
                wanted,
                random.nextBoolean() ? LaunchMode.BATCH : LaunchMode.PER_NODE,
                600,
                0,
                random.nextInt(4) != 0);
    }

    int jobs() {
        return 1 + components.size();
    }

    /// What is asked for, by a gateway whose clock shows that time.
    JobDescription at(long now) {
        return delayMillis == 0
                ? description
                : description.on(
                        description.conditions().with(to -> to.beginAt = now + delayMillis));
    }

    /// As it is sent to a gateway.
    ///
    /// @param beginAt in epoch milliseconds; null is at once
    /// @param name of the job
    JobSubmission submission(@Nullable Long beginAt, String name) {
        return JobSubmission.of(to -> {
            describe(description, to);
            to.script = "#!/bin/sh\n";
            to.name = name;
            to.launch = components.isEmpty() ? description.launch() : LaunchMode.BATCH;
            to.requeue = description.requeue();
            to.terms.beginAt = beginAt;
            to.components =
                    components.stream()
                            .map(it -> JobSubmission.of(one -> describe(it, one)))
                            .toList();
        });
    }

    private static void describe(JobDescription job, SubmissionDraft to) {
        ResourceRequest request = job.request();
        to.nodes = request.nodes();
        to.tasks = request.tasks();
        to.cpusPerTask = request.cpusPerTask();
        to.memoryMibPerCpu = MEMORY_PER_CPU_MIB;
        to.gpusPerNode = request.gpus().perNode();
        to.timeLimitSeconds = job.timeLimitSeconds();
    }
}
