package io.berth.contracts.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.berth.contracts.Added;
import io.berth.contracts.Allocation;
import io.berth.contracts.Consumption;
import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.GpuShare.Enforcement;
import io.berth.contracts.Hold;
import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Everything that placement knows of a job: its record in `job-states`, rewritten with each
/// change. Times are cell time in epoch milliseconds.
///
/// @param submission offset of the job's Submitted: the order of submission
/// @param run the current run; null while the job waits and after it ended
/// @param ended the runs that are over, oldest first
/// @param endedAt 0 while the job lives
/// @param exit of the last ended run; null before
/// @param planned null for a job that runs or is over, and for one that the plan does not reach
/// @param hold null if nobody holds it
/// @param eligibleAt since when it may start as far as holds, its begin time and its dependencies
///   are concerned; 0 if it may not; null is since its submission
/// @param clearing null for a job that no nodes are cleared for
public record JobStatus(
        JobId job,
        JobDescription description,
        String submittedBy,
        SpecReference spec,
        @Nullable IdempotencyKey key,
        long submission,
        long submittedAt,
        JobState state,
        Reason reason,
        Rank rank,
        @Nullable Run run,
        List<EndedRun> ended,
        long endedAt,
        @Nullable ExitStatus exit,
        @Nullable String cancelledBy,
        @Nullable String message,
        @Nullable Planned planned,
        @Nullable Hold hold,
        @Nullable Long eligibleAt,
        @Nullable Clearing clearing) {

    public JobStatus {
        ended = List.copyOf(ended);
    }

    /// A job that nobody holds, may start since its submission, and of which nothing is expected.
    public JobStatus(
            JobId job,
            JobDescription description,
            String submittedBy,
            SpecReference spec,
            @Nullable IdempotencyKey key,
            long submission,
            long submittedAt,
            JobState state,
            Reason reason,
            Rank rank,
            @Nullable Run run,
            List<EndedRun> ended,
            long endedAt,
            @Nullable ExitStatus exit,
            @Nullable String cancelledBy,
            @Nullable String message) {
        this(
                job,
                description,
                submittedBy,
                spec,
                key,
                submission,
                submittedAt,
                state,
                reason,
                rank,
                run,
                ended,
                endedAt,
                exit,
                cancelledBy,
                message,
                null,
                null,
                null,
                null);
    }

    /// Nodes that are being cleared of other jobs' runs for a waiting job: what comes free there is
    /// kept for it.
    ///
    /// @param since when the others were told to give way, in epoch milliseconds
    /// @param until when the nodes are given back if the job could not start, in epoch milliseconds
    /// @param nodes one for each part, in the order of the parts
    /// @param victims the runs that give way
    /// @param partition in which the job starts there; null of one that names no more than one
    public record Clearing(
            long since,
            long until,
            List<NodeName> nodes,
            List<RunId> victims,
            @Nullable String partition) {

        public Clearing {
            nodes = List.copyOf(nodes);
            victims = List.copyOf(victims);
        }

        /// For a job of one partition.
        public Clearing(long since, long until, List<NodeName> nodes, List<RunId> victims) {
            this(since, until, nodes, victims, null);
        }
    }

    /// When a waiting job is expected to start at the latest, if nothing comes before it, and the
    /// nodes that are reserved for it from then on.
    ///
    /// @param start epoch milliseconds
    /// @param end its latest end, epoch milliseconds
    /// @param nodes one for each part, in the order of the parts
    /// @param place in the order in which the plan was made
    /// @param gpu UUID of the shared GPU of which a part is reserved; null if none is
    /// @param drains the GPUs in MIG mode that run empty, and are divided anew for it then, by
    ///   UUID, each with what it is divided into until then: `7x1g.10gb`
    /// @param partition in which it starts then; null of a job that names no more than one
    public record Planned(
            long start,
            long end,
            List<NodeName> nodes,
            long place,
            @Nullable String gpu,
            @Added @JsonInclude(Include.NON_EMPTY) Map<String, String> drains,
            @Nullable String partition) {

        public Planned {
            nodes = List.copyOf(nodes);
            drains = drains == null ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(drains));
        }

        /// Of a job that names no more than one partition.
        public Planned(
                long start,
                long end,
                List<NodeName> nodes,
                long place,
                @Nullable String gpu,
                Map<String, String> drains) {
            this(start, end, nodes, place, gpu, drains, null);
        }

        /// Of a job that wants no part of a GPU, on GPUs that are there.
        public Planned(long start, long end, List<NodeName> nodes, long place) {
            this(start, end, nodes, place, null, Map.of(), null);
        }
    }

    /// Whether the job waits for nothing but resources and its turn.
    public boolean eligible() {
        return state == JobState.PENDING && (eligibleAt == null || eligibleAt > 0);
    }

    /// Since when it waits for its turn; its submission if it may not start yet.
    public long waitsSince() {
        return eligibleAt == null || eligibleAt == 0 ? submittedAt : eligibleAt;
    }

    /// A run that holds resources.
    ///
    /// @param startedAt 0 until the code of its first part runs
    /// @param gone whether Go was ordered (a run of one node needs none)
    /// @param billingRate billing units per second, in thousandths, fixed when it was placed
    /// @param outcome what the first terminal cause decided; null while there is none
    /// @param parts one for each node, in the order of their indices
    /// @param suspensions null is none
    /// @param savedMillis how long it had run and not stood still when it last saved a checkpoint;
    ///   null is never
    /// @param gpusByType how many whole GPUs of each type it was given
    /// @param overSubscribes whether others of its partition may have its CPUs too; null is no
    /// @param claim since when it has its place, if that was cleared for it and accounts have
    ///   guarantees; null is since it was placed
    public record Run(
            int lease,
            long placedAt,
            long startedAt,
            boolean gone,
            long billingRate,
            @Nullable Outcome outcome,
            List<Part> parts,
            @Nullable Suspensions suspensions,
            @Nullable Long savedMillis,
            @Added @JsonInclude(Include.NON_EMPTY) Map<String, Long> gpusByType,
            @Nullable Boolean overSubscribes,
            @Nullable Claim claim) {

        public Run {
            overSubscribes = Boolean.TRUE.equals(overSubscribes) ? true : null;
            parts = List.copyOf(parts);
            gpusByType =
                    gpusByType == null
                            ? Map.of()
                            : Collections.unmodifiableMap(new TreeMap<>(gpusByType));
            suspensions = Suspensions.NONE.equals(suspensions) ? null : suspensions;
        }

        /// A run that was never suspended and has saved nothing, on GPUs of no known type.
        public Run(
                int lease,
                long placedAt,
                long startedAt,
                boolean gone,
                long billingRate,
                @Nullable Outcome outcome,
                List<Part> parts) {
            this(
                    lease,
                    placedAt,
                    startedAt,
                    gone,
                    billingRate,
                    outcome,
                    parts,
                    null,
                    null,
                    Map.of(),
                    null,
                    null);
        }

        /// Whether others of its partition may have its CPUs too.
        public boolean sharesCpus() {
            return overSubscribes != null;
        }

        /// The times at which it stood still; never null.
        public Suspensions standstill() {
            return Objects.requireNonNullElse(suspensions, Suspensions.NONE);
        }

        /// What the run was given.
        public List<Allocation> allocations() {
            return parts.stream().map(Part::allocation).toList();
        }

        /// What it holds now: while it stands still, no CPUs.
        public List<Allocation> held() {
            return standstill().suspended()
                    ? parts.stream().map(Part::allocation).map(Allocation::withoutCpus).toList()
                    : allocations();
        }

        public Run started(long at) {
            return edited(at, gone, outcome, parts, suspensions, savedMillis);
        }

        /// The run with Go ordered.
        public Run released() {
            return edited(startedAt, true, outcome, parts, suspensions, savedMillis);
        }

        public Run decided(Outcome as) {
            return edited(startedAt, gone, as, parts, suspensions, savedMillis);
        }

        public Run with(List<Part> others) {
            return edited(startedAt, gone, outcome, others, suspensions, savedMillis);
        }

        public Run with(Suspensions others) {
            return edited(startedAt, gone, outcome, parts, others, savedMillis);
        }

        /// The run with what it had done by then saved: work that nobody can lose any more.
        ///
        /// @param at in epoch milliseconds, not before it started
        public Run saved(long at) {
            long saved = Math.max(0, at - startedAt - standstill().millis());
            return edited(
                    startedAt, gone, outcome, parts, suspensions, Math.max(saved, safeMillis()));
        }

        private Run edited(
                long startedAt,
                boolean gone,
                @Nullable Outcome outcome,
                List<Part> parts,
                @Nullable Suspensions suspensions,
                @Nullable Long savedMillis) {
            return new Run(
                    lease,
                    placedAt,
                    startedAt,
                    gone,
                    billingRate,
                    outcome,
                    parts,
                    suspensions,
                    savedMillis,
                    gpusByType,
                    overSubscribes,
                    claim);
        }

        /// For how long of its run nothing can be lost.
        public long safeMillis() {
            return savedMillis == null ? 0 : savedMillis;
        }
    }

    /// That nodes were cleared for a run, as its [Clearing] had it: the order in which places were
    /// claimed.
    public record Claim(long since, long until) {}

    /// The state that a run gives its job once its resources are free. PENDING requeues it.
    ///
    /// @param ending what cuts the run of a job that waits again short: PREEMPTED or NODE_FAIL;
    ///   null is neither
    /// @param endsBy until when the run has notice; null is none
    /// @param decidedAt in epoch milliseconds; null is not known
    public record Outcome(
            JobState state,
            Reason reason,
            ExitStatus exit,
            @Nullable String message,
            @Nullable JobState ending,
            @Nullable Long endsBy,
            @Nullable Long decidedAt) {

        public Outcome withoutNotice() {
            return new Outcome(state, reason, exit, message, ending, null, decidedAt);
        }

        public Outcome decided(long at) {
            return new Outcome(state, reason, exit, message, ending, endsBy, at);
        }

        /// One that is not decided yet.
        public Outcome(
                JobState state,
                Reason reason,
                ExitStatus exit,
                @Nullable String message,
                @Nullable JobState ending,
                @Nullable Long endsBy) {
            this(state, reason, exit, message, ending, endsBy, null);
        }

        /// Of a run that ends without notice, as its job does.
        public Outcome(JobState state, Reason reason, ExitStatus exit, @Nullable String message) {
            this(state, reason, exit, message, null, null);
        }
    }

    /// A run on one of its nodes.
    ///
    /// @param launchEpoch and
    /// @param launchNumber name the order that launched it last
    /// @param used what it used in all; null while it is not over, and where nobody knows
    /// @param enforced what limits it to its part of a GPU; null before it has started, and of one
    ///   that holds no part
    /// @param underused null unless its GPUs are used little
    public record Part(
            Allocation allocation,
            Phase phase,
            long launchEpoch,
            long launchNumber,
            @Nullable Consumption used,
            @Nullable Enforcement enforced,
            @Nullable Underuse underused) {

        public Part(Allocation allocation, Phase phase, long launchEpoch, long launchNumber) {
            this(allocation, phase, launchEpoch, launchNumber, null, null, null);
        }

        public Part in(Phase other) {
            return new Part(
                    allocation, other, launchEpoch, launchNumber, used, enforced, underused);
        }

        public Part having(Consumption all) {
            return new Part(allocation, phase, launchEpoch, launchNumber, all, enforced, underused);
        }

        /// The part, held to its share by that.
        public Part heldBy(Enforcement by) {
            return new Part(allocation, phase, launchEpoch, launchNumber, used, by, underused);
        }

        /// The part, launched last by that order.
        public Part launchedBy(long epoch, long number) {
            return new Part(allocation, phase, epoch, number, used, enforced, underused);
        }

        public Part using(@Nullable Underuse how) {
            return new Part(allocation, phase, launchEpoch, launchNumber, used, enforced, how);
        }

        /// How little its GPUs are used.
        ///
        /// @param since in epoch milliseconds
        /// @param percent the mean over the GPUs and the time until it was told
        public record Underuse(long since, int percent) {}

        public enum Phase {
            /// Its Launch is written; the agent has not answered.
            ORDERED,
            READY,
            STARTED,
            ENDED
        }
    }
}
