package io.berth.slurm;

import io.berth.contracts.LaunchMode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A job as it is asked for: the body of `POST /v1/jobs`, and what `sbatch` makes of a script and
/// its options. Everything but the script may be left out; the gateway fills in the cluster's
/// defaults.
///
/// @param arguments what follows the script on the command line
/// @param environment the variables that the job inherits
/// @param user the owner; only an operator may name another than himself
/// @param tasksPerNode with `nodes`, instead of `tasks`
/// @param memoryMibPerNode MiB, 0 for all of a node; at most one of the three memories is given
/// @param gpus in total, over all nodes
/// @param timeLimitSeconds 0 is unlimited
/// @param standardOutput pattern of the output file, `slurm-%j.out` if not given
/// @param submitHost the host that the submission comes from
public record JobSubmission(
        String script,
        @Nullable List<String> arguments,
        @Nullable Map<String, String> environment,
        @Nullable String workingDirectory,
        @Nullable String user,
        @Nullable String account,
        @Nullable String partition,
        @Nullable String qos,
        @Nullable String name,
        @Nullable Integer nodes,
        @Nullable Integer tasks,
        @Nullable Integer tasksPerNode,
        @Nullable Integer cpusPerTask,
        @Nullable Long memoryMibPerNode,
        @Nullable Long memoryMibPerCpu,
        @Nullable Long memoryMibPerGpu,
        @Nullable Integer gpus,
        @Nullable Integer gpusPerNode,
        @Nullable Integer gpusPerTask,
        @Nullable String gpuType,
        @Nullable Long timeLimitSeconds,
        @Nullable Integer nice,
        @Nullable Boolean requeue,
        @Nullable LaunchMode launch,
        @Nullable String standardOutput,
        @Nullable String standardError,
        @Nullable String standardInput,
        @Nullable Boolean appendOutput,
        @Nullable String submitHost) {}
