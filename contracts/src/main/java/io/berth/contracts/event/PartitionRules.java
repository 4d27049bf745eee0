package io.berth.contracts.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.berth.contracts.Added;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.ConfigEntry.Prices;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Who may use a partition, and how.
///
/// @param minNodes of a job
/// @param maxCpusPerNode CPUs of a node that all its jobs have together; 0 is unlimited
/// @param maxMemoryMibPerCpu a job may ask for; 0 is unlimited
/// @param allowAccounts empty is all; an account stands for those below it
/// @param denyAccounts not read where `allowAccounts` says who may
/// @param allowQos empty is all
/// @param denyQos not read where `allowQos` says which may
/// @param qos whose limits hold for all its jobs, before those of their own QOS; null is none
/// @param preemptMode what becomes of its jobs when a higher tier takes their place; null is the
///   cluster's
/// @param graceSeconds between their notice and their end (GraceTime)
/// @param hidden whether listings leave it out unless asked for all
/// @param prices of its jobs (TRESBillingWeights); null are the cluster's
/// @param reservedOnly whether its jobs must name a reservation (ReqResv); null is no
/// @param use null is [Use#ANY]
public record PartitionRules(
        State state,
        int minNodes,
        int maxCpusPerNode,
        long maxMemoryMibPerCpu,
        List<String> allowAccounts,
        List<String> denyAccounts,
        List<String> allowQos,
        List<String> denyQos,
        @Nullable String qos,
        @Nullable PreemptMode preemptMode,
        long graceSeconds,
        boolean hidden,
        @Nullable Prices prices,
        @Nullable Boolean reservedOnly,
        @Nullable Use use) {

    /// How its jobs use its nodes, and from where and by whom they come.
    ///
    /// @param defaultMemoryMibPerNode of jobs that ask for none (DefMemPerNode); 0 is none
    /// @param maxMemoryMibPerNode that a job may ask for (MaxMemPerNode); 0 is unlimited
    /// @param overTimeSeconds for which a run may go on beyond its limit (OverTimeLimit)
    /// @param leastLoaded whether its jobs go to the nodes with the most free CPUs (LLN)
    /// @param allocNodes hosts that its jobs may be submitted from; `ALL` alone is any
    /// @param rootOnly whether only operators may submit to it
    /// @param exclusiveUser whether a node of one of its jobs is for that job's user alone
    ///   (ExclusiveUser); null is no
    /// @param allowGroups of whose members it takes jobs (AllowGroups); empty is all
    /// @param exclusive whether each of its jobs has its nodes to itself (OverSubscribe=EXCLUSIVE);
    ///   null is no
    /// @param ofGpus what its jobs with GPUs have that do not ask for it (JobDefaults); null is
    ///   nothing of its own
    /// @param withoutRoot whether jobs of user `root` are kept out (DisableRootJobs); null is no
    /// @param maxCpusPerSocket CPUs of each socket of a node that all its jobs have together
    ///   (MaxCPUsPerSocket); null is unlimited
    /// @param overSubscribe which of its jobs have their CPUs together; null is that none do
    /// @param exclusiveTopology whether each of its jobs has the blocks of its nodes to itself
    ///   (ExclusiveTopo); null is no
    public record Use(
            long defaultMemoryMibPerNode,
            long maxMemoryMibPerNode,
            long overTimeSeconds,
            boolean leastLoaded,
            List<String> allocNodes,
            boolean rootOnly,
            @Nullable Boolean exclusiveUser,
            @Added @JsonInclude(Include.NON_EMPTY) List<String> allowGroups,
            @Nullable Boolean exclusive,
            @Nullable GpuDefaults ofGpus,
            @Nullable Boolean withoutRoot,
            @Nullable Integer maxCpusPerSocket,
            @Nullable OverSubscribe overSubscribe,
            @Nullable Boolean exclusiveTopology) {

        /// That jobs of the partition have their CPUs together (OverSubscribe=FORCE:n, YES:n).
        ///
        /// @param forced whether all its jobs do, and not only those that ask for it
        /// @param jobs on one CPU at most; 1 comes to each having its own
        public record OverSubscribe(boolean forced, int jobs) {

            /// On a CPU, unless it is said.
            public static final int JOBS = 4;

            public static final int MOST_JOBS = 9999;

            public OverSubscribe {
                if (jobs < 1 || jobs > MOST_JOBS) {
                    throw new IllegalArgumentException(jobs + " jobs on a CPU");
                }
            }

            /// `FORCE:4`.
            public String text() {
                return (forced ? "FORCE:" : "YES:") + jobs;
            }

            /// Whether a job has its CPUs together with others that do.
            public boolean admits(Sharing sharing) {
                return jobs > 1
                        && sharing != Sharing.NODE
                        && sharing != Sharing.TOPOLOGY
                        && (forced || sharing == Sharing.OVERSUBSCRIBE);
            }
        }

        /// What a job with whole GPUs has that does not say how much it wants.
        ///
        /// @param cpusPerGpu unless it asks for CPUs per task (DefCpuPerGPU); 0 is nothing
        /// @param memoryMibPerGpu unless it asks for memory (DefMemPerGPU); 0 is nothing
        public record GpuDefaults(int cpusPerGpu, long memoryMibPerGpu) {

            static final GpuDefaults NONE = new GpuDefaults(0, 0);
        }

        public static final Use ANY = new Use(0, 0, 0, false, List.of("ALL"), false);

        public Use {
            allocNodes = List.copyOf(allocNodes);
            exclusiveUser = Boolean.TRUE.equals(exclusiveUser) ? true : null;
            allowGroups = allowGroups == null ? List.of() : List.copyOf(allowGroups);
            exclusive = Boolean.TRUE.equals(exclusive) ? true : null;
            ofGpus = GpuDefaults.NONE.equals(ofGpus) ? null : ofGpus;
            withoutRoot = Boolean.TRUE.equals(withoutRoot) ? true : null;
            maxCpusPerSocket =
                    maxCpusPerSocket == null || maxCpusPerSocket == 0 ? null : maxCpusPerSocket;
            exclusiveTopology = Boolean.TRUE.equals(exclusiveTopology) ? true : null;
        }

        /// Of a partition for all groups, whose users share nodes.
        public Use(
                long defaultMemoryMibPerNode,
                long maxMemoryMibPerNode,
                long overTimeSeconds,
                boolean leastLoaded,
                List<String> allocNodes,
                boolean rootOnly) {
            this(
                    defaultMemoryMibPerNode,
                    maxMemoryMibPerNode,
                    overTimeSeconds,
                    leastLoaded,
                    allocNodes,
                    rootOnly,
                    null,
                    List.of(),
                    null,
                    null,
                    null,
                    null,
                    null,
                    null);
        }

        /// The same but for what is changed.
        public Use with(Consumer<Draft> change) {
            var draft = new Draft(this);
            change.accept(draft);
            return new Use(
                    draft.defaultMemoryMibPerNode,
                    draft.maxMemoryMibPerNode,
                    draft.overTimeSeconds,
                    draft.leastLoaded,
                    draft.allocNodes,
                    draft.rootOnly,
                    draft.exclusiveUser,
                    draft.allowGroups,
                    draft.exclusive,
                    draft.ofGpus,
                    draft.withoutRoot,
                    draft.maxCpusPerSocket,
                    draft.overSubscribe,
                    draft.exclusiveTopology);
        }

        /// What [#with] may change; as the use has it until then.
        public static final class Draft {
            public long defaultMemoryMibPerNode;
            public long maxMemoryMibPerNode;
            public long overTimeSeconds;
            public boolean leastLoaded;
            public List<String> allocNodes;
            public boolean rootOnly;
            public @Nullable Boolean exclusiveUser;
            public List<String> allowGroups;
            public @Nullable Boolean exclusive;
            public @Nullable GpuDefaults ofGpus;
            public @Nullable Boolean withoutRoot;
            public @Nullable Integer maxCpusPerSocket;
            public @Nullable OverSubscribe overSubscribe;
            public @Nullable Boolean exclusiveTopology;

            private Draft(Use use) {
                defaultMemoryMibPerNode = use.defaultMemoryMibPerNode;
                maxMemoryMibPerNode = use.maxMemoryMibPerNode;
                overTimeSeconds = use.overTimeSeconds;
                leastLoaded = use.leastLoaded;
                allocNodes = use.allocNodes;
                rootOnly = use.rootOnly;
                exclusiveUser = use.exclusiveUser;
                allowGroups = use.allowGroups;
                exclusive = use.exclusive;
                ofGpus = use.ofGpus;
                withoutRoot = use.withoutRoot;
                maxCpusPerSocket = use.maxCpusPerSocket;
                overSubscribe = use.overSubscribe;
                exclusiveTopology = use.exclusiveTopology;
            }
        }

        /// CPUs of each socket of a node that all its jobs have together; 0 is unlimited.
        public int mostCpusOnSocket() {
            return maxCpusPerSocket == null ? 0 : maxCpusPerSocket;
        }

        /// How many of its jobs may be on a CPU.
        public int mostJobsOnCpu() {
            return overSubscribe == null ? 1 : overSubscribe.jobs;
        }

        /// Whether all its jobs have their CPUs together, whatever they ask for.
        public boolean forced() {
            return overSubscribe != null && overSubscribe.forced && overSubscribe.jobs > 1;
        }

        /// What its jobs with GPUs have that do not ask for it; never null.
        public GpuDefaults gpuDefaults() {
            return Objects.requireNonNullElse(ofGpus, GpuDefaults.NONE);
        }

        /// Whether it takes a user's jobs, as far as his name tells.
        public boolean admitsUser(String user) {
            return withoutRoot == null || !user.equals("root");
        }

        /// Whether a node of one of its jobs is for that job's user alone.
        public boolean ofOneUser() {
            return exclusiveUser != null;
        }

        /// Whether each of its jobs has its nodes to itself.
        public boolean ofOneJob() {
            return exclusive != null;
        }

        /// Whether each of its jobs has the blocks of its nodes to itself.
        public boolean ofOneJobEachBlock() {
            return exclusiveTopology != null;
        }

        /// Whether jobs may be submitted from that host.
        public boolean admits(String host) {
            return allocNodes.contains("ALL") || allocNodes.contains(host);
        }
    }

    /// Whether a partition takes jobs and starts them.
    public enum State {
        /// Takes jobs and starts them.
        UP,
        /// Takes jobs and starts none.
        DOWN,
        /// Starts what waits and takes no more.
        DRAIN,
        /// Neither.
        INACTIVE
    }

    public static final PartitionRules DEFAULT =
            new PartitionRules(
                    State.UP, 1, 0, 0, List.of(), List.of(), List.of(), List.of(), null, null, 0,
                    false, null);

    /// Rules of a partition for jobs with and without a reservation.
    public PartitionRules(
            State state,
            int minNodes,
            int maxCpusPerNode,
            long maxMemoryMibPerCpu,
            List<String> allowAccounts,
            List<String> denyAccounts,
            List<String> allowQos,
            List<String> denyQos,
            @Nullable String qos,
            @Nullable PreemptMode preemptMode,
            long graceSeconds,
            boolean hidden,
            @Nullable Prices prices) {
        this(
                state,
                minNodes,
                maxCpusPerNode,
                maxMemoryMibPerCpu,
                allowAccounts,
                denyAccounts,
                allowQos,
                denyQos,
                qos,
                preemptMode,
                graceSeconds,
                hidden,
                prices,
                null,
                null);
    }

    /// Rules of a partition whose nodes any use.
    public PartitionRules(
            State state,
            int minNodes,
            int maxCpusPerNode,
            long maxMemoryMibPerCpu,
            List<String> allowAccounts,
            List<String> denyAccounts,
            List<String> allowQos,
            List<String> denyQos,
            @Nullable String qos,
            @Nullable PreemptMode preemptMode,
            long graceSeconds,
            boolean hidden,
            @Nullable Prices prices,
            @Nullable Boolean reservedOnly) {
        this(
                state,
                minNodes,
                maxCpusPerNode,
                maxMemoryMibPerCpu,
                allowAccounts,
                denyAccounts,
                allowQos,
                denyQos,
                qos,
                preemptMode,
                graceSeconds,
                hidden,
                prices,
                reservedOnly,
                null);
    }

    public PartitionRules {
        allowAccounts = List.copyOf(allowAccounts);
        denyAccounts = List.copyOf(denyAccounts);
        allowQos = List.copyOf(allowQos);
        denyQos = List.copyOf(denyQos);
    }

    /// How its jobs use its nodes; never null.
    public Use ofNodes() {
        return Objects.requireNonNullElse(use, Use.ANY);
    }

    /// Whether its jobs must name a reservation.
    public boolean reserved() {
        return Boolean.TRUE.equals(reservedOnly);
    }
}
