package io.berth.agent;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.ResourceRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Specifications for tests.
public final class Jobs {

    /// Of every job.
    public static final String KEY = "key";

    private Jobs() {}

    public static JobSpec script(JobId job, Path directory, String body) {
        return spec(job, directory.toString(), body, List.of(), Map.of(), "slurm-%j.out", null);
    }

    /// The same in a container.
    public static JobSpec in(Path container, JobSpec spec) {
        return new JobSpec(
                spec.job(),
                spec.description(),
                spec.script(),
                spec.arguments(),
                spec.environment(),
                spec.workingDirectory(),
                spec.standardOutput(),
                spec.standardError(),
                spec.standardInput(),
                spec.appendOutput(),
                spec.submitHost(),
                null,
                container.toString(),
                spec.key(),
                null);
    }

    /// The same for another user.
    public static JobSpec of(String user, JobSpec spec) {
        JobDescription job = spec.description();
        return new JobSpec(
                spec.job(),
                new JobDescription(
                        user,
                        job.account(),
                        job.partition(),
                        job.qos(),
                        job.name(),
                        job.request(),
                        job.launch(),
                        job.timeLimitSeconds(),
                        job.nice(),
                        job.requeue()),
                spec.script(),
                spec.arguments(),
                spec.environment(),
                spec.workingDirectory(),
                spec.standardOutput(),
                spec.standardError(),
                spec.standardInput(),
                spec.appendOutput(),
                spec.submitHost(),
                spec.mail(),
                spec.container(),
                spec.key(),
                null);
    }

    public static JobSpec with(
            JobId job,
            Path directory,
            String body,
            List<String> arguments,
            Map<String, String> environment) {
        return spec(job, directory.toString(), body, arguments, environment, "slurm-%j.out", null);
    }

    public static JobSpec spec(
            JobId job,
            String directory,
            String body,
            List<String> arguments,
            Map<String, String> environment,
            String output,
            @Nullable String error) {
        return new JobSpec(
                job,
                description(),
                "#!/bin/sh\n" + body + "\n",
                arguments,
                environment,
                directory,
                output,
                error,
                null,
                false,
                "login1",
                null,
                null,
                KEY,
                null);
    }

    public static JobDescription description() {
        return new JobDescription(
                "alice",
                "vision",
                "gpu",
                "normal",
                "train",
                new ResourceRequest(1, 1, 1, MemoryRequest.perNode(64), GpuRequest.NONE),
                LaunchMode.BATCH,
                0,
                0,
                true);
    }
}
