package io.berth.slurm;

import io.berth.contracts.LaunchMode;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A job as it is asked for: the body of `POST /v1/jobs`, and what `sbatch` makes of a script and
/// its options. Everything but the script may be left out; the gateway fills in the cluster's
/// defaults.
///
/// @param script of a component after the first null: the first runs the script of all
/// @param arguments what follows the script on the command line
/// @param environment the variables that the job inherits
/// @param user the owner; only an admin may name another than himself
/// @param tasksPerNode with `nodes`, instead of `tasks`
/// @param memoryMibPerNode MiB, 0 for all of a node; at most one of the three memories is given
/// @param gpus in total, over all nodes
/// @param cpusPerGpu in place of `cpusPerTask`
/// @param tasksPerGpu with GPUs in place of `tasks`, or with `tasks` in place of GPUs
/// @param gpuTypes in place of `gpuType` how many of the `gpusPerTask`, the `gpusPerNode`, or else
///   of the `gpus`, are of each of several types: `a100:2,v100:1`; with `gpusPerSocket` of those of
///   a node
/// @param gpuPart a part of one GPU, as `--gres`: `mps:50`, `shard:1`, `gpumem:16G`; beside whole
///   GPUs the memory that each of them has at least: `gpumem:40G`
/// @param gres other resources of each node, as `--gres`: `nic:1,fpga:xilinx:2`
/// @param timeLimitSeconds 0 is unlimited
/// @param standardOutput pattern of the output file, `slurm-%j.out` if not given
/// @param submitHost the host that the submission comes from
/// @param container the folder of the container that the script runs in, as `--container`
/// @param command what the user called, for those who look at the job: the script's path, or the
///   program, with its arguments; at most [#MAX_COMMAND] characters
/// @param components of a heterogeneous job those after the first, which is the job itself. Each
///   has what it asks for, its account and its terms of its own; user, and name if it has none, are
///   the first's
public record JobSubmission(
        @Nullable String script,
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
        @Nullable Integer cpusPerGpu,
        @Nullable Integer tasksPerGpu,
        @Nullable String gpuType,
        @Nullable String gpuTypes,
        @Nullable String gpuPart,
        @Nullable String gres,
        @Nullable Long timeLimitSeconds,
        @Nullable Integer nice,
        @Nullable Boolean requeue,
        @Nullable LaunchMode launch,
        @Nullable String standardOutput,
        @Nullable String standardError,
        @Nullable String standardInput,
        @Nullable Boolean appendOutput,
        @Nullable String submitHost,
        @Nullable String container,
        @Nullable String command,
        @Nullable Terms terms,
        @Nullable Nodes where,
        @Nullable List<JobSubmission> components) {

    public static final int MAX_COMMAND = 1024;

    /// When the job may start, and what it obeys. Times are epoch milliseconds.
    ///
    /// @param array as `--array`: `0-99:4%8`
    /// @param dependency as `--dependency`: `afterok:12,singleton`
    /// @param signal as `--signal`: `B:USR1@60`
    /// @param priority in points; the operator's to give
    /// @param preemption whose place the job takes: `never`, `lower` or `always`, which is the
    ///   operator's to give
    /// @param mailType as `--mail-type`: `BEGIN,FAIL`
    /// @param mailUser where to, in place of the owner's own address
    /// @param maxWaitSeconds the job ends if it has waited for its turn so long
    public record Terms(
            @Nullable String array,
            @Nullable String dependency,
            @Nullable Boolean killOnInvalidDependency,
            @Nullable Boolean hold,
            @Nullable Long beginAt,
            @Nullable Long deadlineAt,
            @Nullable Long timeMinSeconds,
            @Nullable String signal,
            @Nullable Long priority,
            @Nullable String comment,
            @Nullable String preemption,
            @Nullable String mailType,
            @Nullable String mailUser,
            @Nullable Long maxWaitSeconds) {

        public static final Terms NONE =
                new Terms(
                        null, null, null, null, null, null, null, null, null, null, null, null,
                        null, null);
    }

    /// Which nodes will do.
    ///
    /// @param constraint as `--constraint`: `a100&nvme`
    /// @param nodeList as `--nodelist`: `gpu-[01-04]`
    /// @param excludedNodes as `--exclude`
    /// @param exclusive whether no other job may be on the nodes, of which the job then has all
    ///   CPUs and GPUs
    /// @param switches as `--switches`: `1@10:00`
    /// @param reservation whose nodes the job uses
    /// @param licenses as `--licenses`: `matlab:2,ansys`
    /// @param sockets of a node at least, as the cores of a socket and the threads of a core
    /// @param maxNodes the job takes up to so many where they are free; null is no more than it
    ///   needs
    /// @param contiguous whether the nodes must stand side by side by name
    /// @param minCpusPerNode CPUs of the job on each node at least
    /// @param tmpMib temporary disk of a node at least, in MiB
    /// @param segment nodes of each segment, which lies in one block of the network
    /// @param parallel `data`, or `model` for a job that is one NVLink island
    /// @param gpusPerSocket GPUs that each of `sockets` sockets of a node gives
    /// @param tasksPerSocket tasks on each socket at most
    /// @param exclusiveUser whether only jobs of the same user may be on the nodes
    /// @param exclusiveTopo whether no other job may be in the blocks of its nodes
    /// @param oversubscribe whether it may have its CPUs together with others of its partition
    /// @param topology the level of the network of which they are in one domain: `rack@10:00`
    /// @param threadsUsed threads of each of its cores that the job's tasks run on at most; it has
    ///   the cores all the same
    /// @param prefer as `--prefer`: features in place of those of `constraint`, where the job can
    ///   start on such nodes
    public record Nodes(
            @Nullable String constraint,
            @Nullable String nodeList,
            @Nullable String excludedNodes,
            @Nullable Boolean exclusive,
            @Nullable String switches,
            @Nullable String reservation,
            @Nullable String licenses,
            @Nullable Integer sockets,
            @Nullable Integer coresPerSocket,
            @Nullable Integer threadsPerCore,
            @Nullable Integer maxNodes,
            @Nullable Boolean contiguous,
            @Nullable Integer minCpusPerNode,
            @Nullable Long tmpMib,
            @Nullable Boolean exclusiveUser,
            @Nullable Boolean exclusiveTopo,
            @Nullable Integer segment,
            @Nullable String parallel,
            @Nullable Integer gpusPerSocket,
            @Nullable Integer tasksPerSocket,
            @Nullable Boolean oversubscribe,
            @Nullable String topology,
            @Nullable Integer threadsUsed,
            @Nullable String prefer) {

        public static final Nodes NONE =
                new Nodes(
                        null, null, null, null, null, null, null, null, null, null, null, null,
                        null, null, null, null, null, null, null, null, null, null, null, null);
    }

    /// The submission that a draft says.
    public static JobSubmission of(Consumer<SubmissionDraft> asked) {
        var draft = new SubmissionDraft();
        asked.accept(draft);
        return draft.written();
    }

    /// The terms; never null.
    public Terms conditions() {
        return terms == null ? Terms.NONE : terms;
    }

    /// The components after the first; never null.
    public List<JobSubmission> furtherComponents() {
        return components == null ? List.of() : components;
    }

    /// Which nodes will do; never null.
    public Nodes nodesWanted() {
        return where == null ? Nodes.NONE : where;
    }
}
