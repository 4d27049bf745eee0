package io.berth.submit;

import io.berth.contracts.Allocation;
import io.berth.contracts.ArrayTask;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.GpuShare.Enforcement;
import io.berth.contracts.HetComponent;
import io.berth.contracts.Hold;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.core.request.Sight;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the gateway keeps of a job to answer questions.
///
/// @param specPartition and
/// @param specOffset name the job's record in `specs`
/// @param specKey that opens it; null if it is not sealed
/// @param cell the partition of `submissions` that the job came in by
/// @param submission offset of its Submitted there
/// @param attempt the current run, else the last one
/// @param restarts runs that ended without deciding the job
/// @param endedAt 0 while the job lives
/// @param eligibleAt since when it may start, as far as holds, times and other jobs go; 0 if it may
///   not; null is since its submission
/// @param planned null if nothing is expected of it
public record Job(
        JobId id,
        JobDescription description,
        String submittedBy,
        int specPartition,
        long specOffset,
        @Nullable String specKey,
        int cell,
        long submission,
        long submittedAt,
        JobState state,
        Reason reason,
        Rank rank,
        @Nullable Attempt attempt,
        int restarts,
        long endedAt,
        @Nullable ExitStatus exit,
        @Nullable String cancelledBy,
        @Nullable String message,
        @Nullable Hold hold,
        @Nullable Long eligibleAt,
        @Nullable Planned planned) {
    /// A run as far as people ask for it.
    ///
    /// @param holding whether it still holds its resources
    /// @param billingRate billing units per second, in thousandths; 0 if it is over
    /// @param suspendedMillis how long it stood still before
    /// @param suspendedAt since when it stands still; 0 if it does not
    /// @param preemptAt when it is ended to give way to another job; 0 if it is not
    /// @param enforced what limits it to its part of a GPU; null if nothing is known of that
    /// @param idle the nodes on which it hardly uses its GPUs
    public record Attempt(
            int lease,
            long placedAt,
            boolean holding,
            long billingRate,
            List<Allocation> allocations,
            long suspendedMillis,
            long suspendedAt,
            long preemptAt,
            @Nullable Enforcement enforced,
            List<LowGpuUse> idle) {
        public Attempt {
            allocations = List.copyOf(allocations);
            idle = List.copyOf(idle);
        }

        /// That a run hardly uses its GPUs on a node.
        ///
        /// @param since in epoch milliseconds
        /// @param percent the mean over the GPUs and the time until that was seen
        public record LowGpuUse(NodeName node, long since, int percent) {}
    }

    public String user() {
        return description.user();
    }

    /// The array that the job is a task of, or the job itself.
    public JobId arrayOrSelf() {
        ArrayTask task = description.array();
        return task == null ? id : task.array();
    }

    /// The job that its specification was written for: the first of those that were submitted with
    /// it.
    public JobId specified() {
        HetComponent het = description.het();
        return het == null ? arrayOrSelf() : het.first();
    }

    /// Whether it runs a script; a component of a heterogeneous job after the first runs none.
    public boolean hasProgram() {
        return description.launch() != LaunchMode.HELD;
    }

    /// In which it runs, or has run last; of one that has not, the first in which it may start.
    public String partition() {
        return description.partition();
    }

    /// Where it is to be found: while it waits all partitions in which it may start.
    public List<String> partitions() {
        return pending() ? description.partitions() : List.of(partition());
    }

    public boolean seenBy(Sight sight) {
        return sight.job(user(), description().account());
    }

    public boolean pending() {
        return state == JobState.PENDING;
    }

    /// What the job holds now: while it is suspended, no CPUs.
    public List<Allocation> held() {
        if (attempt == null || !attempt.holding()) {
            return List.of();
        }
        return attempt.suspendedAt() == 0
                ? attempt.allocations()
                : attempt.allocations().stream().map(Allocation::withoutCpus).toList();
    }

    /// CPUs that the run has, or had, that the job's state speaks of; of a job that waits those
    /// that it asks for.
    public int cpus() {
        return attempt == null || pending()
                ? description.request().totalCpus()
                : attempt.allocations().stream().mapToInt(it -> it.cpus().size()).sum();
    }

    /// GPUs that it has, or had, likewise: a job that has its nodes alone has all of theirs. Of one
    /// with a part of a GPU none.
    public int gpus() {
        return attempt == null || pending() || description.request().gpus().share() != null
                ? description.request().totalGpus()
                : attempt.allocations().stream().mapToInt(it -> it.gpus().size()).sum();
    }

    /// When the run that the job's state speaks of was placed; 0 for a job that waits.
    public long placedAt() {
        return attempt == null || pending() ? 0 : attempt.placedAt();
    }

    /// How long the job has waited for its turn, or had when it was placed or ended.
    public long waitedMillis(long now) {
        long until = placedAt() > 0 ? placedAt() : endedAt > 0 ? endedAt : now;
        long since = eligibleAt == null || eligibleAt == 0 ? submittedAt : eligibleAt;
        return Math.max(0, until - since);
    }
}
