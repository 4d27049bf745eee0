package io.berth.slurm;

import io.berth.contracts.LaunchMode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A submission that is being written, for [JobSubmission#of]: the fields are those of
/// [JobSubmission], and what is null is not asked for.
public final class SubmissionDraft {

    public @Nullable String script;
    public @Nullable List<String> arguments;
    public @Nullable Map<String, String> environment;
    public @Nullable String workingDirectory;
    public @Nullable String user;
    public @Nullable String account;
    public @Nullable String partition;
    public @Nullable String qos;
    public @Nullable String name;
    public @Nullable Integer nodes;
    public @Nullable Integer tasks;
    public @Nullable Integer tasksPerNode;
    public @Nullable Integer cpusPerTask;
    public @Nullable Long memoryMibPerNode;
    public @Nullable Long memoryMibPerCpu;
    public @Nullable Long memoryMibPerGpu;
    public @Nullable Integer gpus;
    public @Nullable Integer gpusPerNode;
    public @Nullable Integer gpusPerTask;
    public @Nullable Integer cpusPerGpu;
    public @Nullable Integer tasksPerGpu;
    public @Nullable String gpuType;
    public @Nullable String gpuTypes;
    public @Nullable String gpuPart;
    public @Nullable String gres;
    public @Nullable Long timeLimitSeconds;
    public @Nullable Integer nice;
    public @Nullable Boolean requeue;
    public @Nullable LaunchMode launch;
    public @Nullable String standardOutput;
    public @Nullable String standardError;
    public @Nullable String standardInput;
    public @Nullable Boolean appendOutput;
    public @Nullable String submitHost;
    public @Nullable String container;
    public @Nullable String command;
    public @Nullable List<JobSubmission> components;

    public final Terms terms = new Terms();
    public final Nodes where = new Nodes();

    /// Those of [JobSubmission.Terms].
    public static final class Terms {
        public @Nullable String array;
        public @Nullable String dependency;
        public @Nullable Boolean killOnInvalidDependency;
        public @Nullable Boolean hold;
        public @Nullable Long beginAt;
        public @Nullable Long deadlineAt;
        public @Nullable Long timeMinSeconds;
        public @Nullable String signal;
        public @Nullable Long priority;
        public @Nullable String comment;
        public @Nullable String preemption;
        public @Nullable String mailType;
        public @Nullable String mailUser;
        public @Nullable Long maxWaitSeconds;

        private Terms() {}

        private JobSubmission.@Nullable Terms written() {
            var terms =
                    new JobSubmission.Terms(
                            array,
                            dependency,
                            killOnInvalidDependency,
                            hold,
                            beginAt,
                            deadlineAt,
                            timeMinSeconds,
                            signal,
                            priority,
                            comment,
                            preemption,
                            mailType,
                            mailUser,
                            maxWaitSeconds);
            return terms.equals(JobSubmission.Terms.NONE) ? null : terms;
        }
    }

    /// Those of [JobSubmission.Nodes].
    public static final class Nodes {
        public @Nullable String constraint;
        public @Nullable String nodeList;
        public @Nullable String excludedNodes;
        public @Nullable Boolean exclusive;
        public @Nullable String switches;
        public @Nullable String reservation;
        public @Nullable String licenses;
        public @Nullable Integer sockets;
        public @Nullable Integer coresPerSocket;
        public @Nullable Integer threadsPerCore;
        public @Nullable Integer maxNodes;
        public @Nullable Boolean contiguous;
        public @Nullable Integer minCpusPerNode;
        public @Nullable Long tmpMib;
        public @Nullable Boolean exclusiveUser;
        public @Nullable Boolean exclusiveTopo;
        public @Nullable Integer segment;
        public @Nullable String parallel;
        public @Nullable Integer gpusPerSocket;
        public @Nullable Integer tasksPerSocket;
        public @Nullable Boolean oversubscribe;
        public @Nullable String topology;
        public @Nullable Integer threadsUsed;
        public @Nullable String prefer;

        private Nodes() {}

        private JobSubmission.@Nullable Nodes written() {
            var nodes =
                    new JobSubmission.Nodes(
                            constraint,
                            nodeList,
                            excludedNodes,
                            exclusive,
                            switches,
                            reservation,
                            licenses,
                            sockets,
                            coresPerSocket,
                            threadsPerCore,
                            maxNodes,
                            contiguous,
                            minCpusPerNode,
                            tmpMib,
                            exclusiveUser,
                            exclusiveTopo,
                            segment,
                            parallel,
                            gpusPerSocket,
                            tasksPerSocket,
                            oversubscribe,
                            topology,
                            threadsUsed,
                            prefer);
            return nodes.equals(JobSubmission.Nodes.NONE) ? null : nodes;
        }
    }

    SubmissionDraft() {}

    JobSubmission written() {
        return new JobSubmission(
                script,
                arguments,
                environment,
                workingDirectory,
                user,
                account,
                partition,
                qos,
                name,
                nodes,
                tasks,
                tasksPerNode,
                cpusPerTask,
                memoryMibPerNode,
                memoryMibPerCpu,
                memoryMibPerGpu,
                gpus,
                gpusPerNode,
                gpusPerTask,
                cpusPerGpu,
                tasksPerGpu,
                gpuType,
                gpuTypes,
                gpuPart,
                gres,
                timeLimitSeconds,
                nice,
                requeue,
                launch,
                standardOutput,
                standardError,
                standardInput,
                appendOutput,
                submitHost,
                container,
                command,
                terms.written(),
                where.written(),
                components);
    }
}
