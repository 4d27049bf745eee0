package io.berth.priority;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.fairshare.Member;
import io.berth.core.priority.ClusterSize;
import io.berth.core.priority.Multifactor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The rank of every job that lives: what it should be by the configuration and the size of the
/// job's cell, and what was published of it.
///
/// A rank's version is made of its inputs: the configuration's revision above the position reached
/// in the cell's `node-states`. Both only grow, so that of two writers (one of them paused and
/// late) the one that knew more has the higher version. Where even so a version would not be above
/// the one published before, as after the log was made anew, it is that one plus 1.
///
/// Of a job that has ended it keeps nothing.
///
/// Not safe for use by several threads.
final class Rankings {

    private static final int POSITION_BITS = 40;

    /// A record to write: the rank of a job, or, without one, the end of it.
    record Change(int cell, JobId job, Optional<Rank> rank) {}

    private record Job(int cell, JobDescription description) {}

    /// The nodes of a cell.
    private static final class Cell {
        final Map<NodeName, ClusterSize> nodes = new TreeMap<>();
        long position;

        ClusterSize size() {
            ClusterSize size = ClusterSize.UNKNOWN;
            for (ClusterSize node : nodes.values()) {
                size = size.plus(node);
            }
            return size;
        }
    }

    private final Map<JobId, Job> live = new TreeMap<>();
    private final Map<Member, Integer> members = new HashMap<>();
    private final Map<JobId, Rank> published = new HashMap<>();

    /// Jobs of which the log said something else last than what was published here: the word of one
    /// that stood still, on its way all the time.
    private final Map<JobId, Change> strange = new TreeMap<>();

    private final Map<Integer, Cell> cells = new TreeMap<>();
    private final Set<JobId> unranked = new TreeSet<>();
    private final Set<Integer> resized = new HashSet<>();
    private final List<Change> gone = new ArrayList<>();
    private @Nullable Configuration configuration;

    /// A job was accepted, or is another than it was.
    void submitted(int cell, JobId id, JobDescription description) {
        var job = new Job(cell, description);
        if (!job.equals(live.get(id))) {
            over(id);
            live.put(id, job);
            unranked.add(id);
            members.merge(member(description), 1, Integer::sum);
        }
    }

    /// Placement says how a job is. One that lives again has the rank that placement knows.
    void status(int cell, JobStatus status) {
        if (status.state().terminal()) {
            ended(cell, status.job());
            return;
        }
        submitted(cell, status.job(), status.description());
        if (status.rank().version() > 0) {
            published.putIfAbsent(status.job(), status.rank());
        }
    }

    /// A job is over, or none: its ranking ends.
    void ended(int cell, JobId job) {
        over(job);
        if (published.remove(job) != null) {
            gone.add(new Change(cell, job, Optional.empty()));
        }
    }

    private void over(JobId id) {
        unranked.remove(id);
        Job job = live.remove(id);
        if (job != null) {
            members.computeIfPresent(
                    member(job.description()), (_, jobs) -> jobs == 1 ? null : jobs - 1);
        }
    }

    private static Member member(JobDescription description) {
        return new Member(description.account(), description.user());
    }

    /// A node of the cell, at the position after its record; without a status it is gone.
    void node(int cell, NodeName name, Optional<NodeStatus> status, long position) {
        Cell of = cells.computeIfAbsent(cell, _ -> new Cell());
        of.position = Math.max(of.position, position);
        Optional<ClusterSize> now = status.map(it -> ClusterSize.of(it.seen().inventory()));
        @Nullable ClusterSize before =
                now.isPresent() ? of.nodes.put(name, now.get()) : of.nodes.remove(name);
        if (!now.equals(Optional.ofNullable(before))) {
            resized.add(cell);
        }
    }

    void configuration(Configuration next) {
        configuration = next;
        unranked.addAll(live.keySet());
    }

    /// What was published of a job before.
    void published(JobId job, Rank rank) {
        published.put(job, rank);
    }

    /// What was published of a job has been ended since.
    void notPublished(JobId job) {
        published.remove(job);
    }

    /// What the log says of a job's rank, read back; none is the end of it.
    void heard(int cell, JobId job, Optional<Rank> rank) {
        if (rank.equals(Optional.ofNullable(published.get(job)))) {
            strange.remove(job);
        } else {
            strange.put(job, new Change(cell, job, rank));
        }
    }

    /// Has what is strange in the log said anew, above both versions. To be called when there is
    /// nothing to be read: before that, what was published may still follow.
    void correct() {
        for (Change it : strange.values()) {
            JobId job = it.job();
            Rank own = published.getOrDefault(job, Rank.NONE);
            Rank said = it.rank().orElse(Rank.NONE);
            published.put(job, said.at(Math.max(own.version(), said.version())));
            if (live.containsKey(job)) {
                unranked.add(job);
            } else {
                ended(it.cell(), job);
            }
        }
        strange.clear();
    }

    /// The members whom live jobs belong to.
    Set<Member> members() {
        return Set.copyOf(members.keySet());
    }

    /// The records that bring what is published up to date. They count as published from now on.
    List<Change> changes() {
        var changes = new ArrayList<>(gone);
        gone.clear();
        Configuration current = configuration;
        if (current == null) {
            return changes;
        }
        if (sizeCounts(current.cluster()) && !resized.isEmpty()) {
            live.forEach((id, job) -> {
                if (resized.contains(job.cell())) {
                    unranked.add(id);
                }
            });
        }
        resized.clear();
        Map<Integer, ClusterSize> sizes = new HashMap<>();
        for (JobId id : unranked) {
            Job job = live.get(id);
            if (job != null) {
                ClusterSize size = sizes.computeIfAbsent(job.cell(), this::size);
                rank(id, job, size, current).ifPresent(changes::add);
            }
        }
        unranked.clear();
        return changes;
    }

    private static boolean sizeCounts(Cluster cluster) {
        return cluster.weights().jobSize() != 0 || !cluster.priorityRules().tresWeights().isEmpty();
    }

    private Optional<Change> rank(JobId id, Job job, ClusterSize size, Configuration current) {
        Rank before = published.get(id);
        long version = (current.revision() << POSITION_BITS) + position(job.cell());
        if (before != null) {
            Rank same = Multifactor.rank(job.description(), current, size, before.version());
            if (same.equals(before)) {
                return Optional.empty();
            }
            version = Math.max(version, before.version() + 1);
        }
        Rank rank = Multifactor.rank(job.description(), current, size, version);
        published.put(id, rank);
        return Optional.of(new Change(job.cell(), id, Optional.of(rank)));
    }

    private ClusterSize size(int cell) {
        Cell of = cells.get(cell);
        return of == null ? ClusterSize.UNKNOWN : of.size();
    }

    private long position(int cell) {
        Cell of = cells.get(cell);
        return of == null ? 0 : of.position;
    }
}
