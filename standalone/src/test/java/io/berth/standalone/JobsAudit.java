package io.berth.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.Allocation;
import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Submission;
import io.berth.contracts.json.Json;
import io.berth.contracts.topic.Topics;
import io.berth.log.KafkaConnection;
import io.berth.standalone.Holdings.Thing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A reader of the public topics that believes nobody: it folds the events of `jobs` by itself, and
/// notes every break of the invariants that they can show.
///
/// - an acknowledged job is queued, once; of submissions with the same key of a user the first
///   alone (I1)
/// - at every position of the log no GPU, CPU or device file is held twice, but CPUs by so many
///   jobs of a partition as it is told, and parts of a GPU up to the whole; a suspended run holds
///   no CPUs. Of a node's memory and other resources no more is held than it last said to have (I2)
/// - leases count 1, 2, 3 …, and one never begins before the one before is over; what agents report
///   of starts is for a [StartsAudit] (I3)
/// - a job ends once, and tells of the same runs that were placed and requeued; the charge of each
///   is what it held, times how long, and the books have it, once (I4)
/// - who comes late, and finds the last state of each job in `job-states`, knows the same of them
///   as who saw every event (I6)
///
/// What other events say does not move what a job holds.
final class JobsAudit {

    /// So often it is looked for a moment in which no job changes.
    private static final int MOMENTS = 100;

    private static final String LATE = "is not to who comes late what events told of ";

    private final Map<Long, Job> jobs = new TreeMap<>();

    /// The first job of each key of a user.
    private final Map<List<String>, Long> keys = new HashMap<>();

    /// Submissions that came later with the same key.
    private final Map<Long, Long> repeated = new TreeMap<>();

    private final Holdings holdings = new Holdings();
    private final List<String> breaks = new ArrayList<>();

    private static final class Job {
        private final String partition;
        private int leases;
        private boolean holding;
        private int suspensions;
        private JobEvent.@Nullable Ended end;
        private @Nullable PlacedRun run;
        private final Set<Thing> given = new HashSet<>();
        private final Set<Thing> held = new HashSet<>();
        private final List<EndedRun> requeued = new ArrayList<>();
        private List<EndedRun> runs = requeued;

        private Job(String partition) {
            this.partition = partition;
        }
    }

    /// So many jobs of a partition may hold a CPU together.
    void together(String partition, int most) {
        holdings.together(partition, most);
    }

    /// A node has so much of that: MiB of memory, or a number of other resources of a kind.
    void has(NodeName node, String what, long so) {
        holdings.has(node, what, so);
    }

    /// Reads the whole topics, at a moment in which no job changes.
    static JobsAudit of(KafkaConnection kafka) {
        try (var topics = new WholeTopics(kafka)) {
            for (int i = 0; i < MOMENTS; i++) {
                long before = topics.end(Topics.JOB_STATES);
                var audit = new JobsAudit();
                audit.breaks.addAll(StartsAudit.of(topics).breaks());
                topics.read(Topics.SUBMISSIONS, (_, it) -> audit.read(Objects.requireNonNull(it)));
                topics.read(Topics.NODE_STATES, (_, it) -> audit.has(Objects.requireNonNull(it)));
                topics.read(Topics.JOBS, (_, it) -> audit.read(Objects.requireNonNull(it)));
                var states = new TreeMap<String, JobStatus>();
                topics.read(
                        Topics.JOB_STATES,
                        (record, it) -> states.compute(WholeTopics.key(record), (_, _) -> it));
                if (before == topics.end(Topics.JOB_STATES)) {
                    audit.readLate(states.values());
                    return audit;
                }
            }
        }
        throw new AssertionError("jobs change all the time");
    }

    /// Compares with what one knows who reads only the last state of each job, of which those that
    /// ended may be forgotten.
    void readLate(Collection<JobStatus> states) {
        var late = new HashSet<Long>();
        for (JobStatus status : states) {
            long id = status.job().value();
            late.add(id);
            Job job = jobs.get(id);
            if (job == null) {
                breaks.add("job " + id + " is known to who comes late, and was never queued");
                continue;
            }
            JobStatus.Run run = status.run();
            Set<Thing> held = new HashSet<>();
            (run == null ? List.<Allocation>of() : run.held())
                    .forEach(it -> held.addAll(Holdings.things(it)));
            check(
                    (job.end != null) == status.state().terminal(),
                    id,
                    LATE + "its end: " + status.state());
            check(job.runs.equals(status.ended()), id, LATE + "its runs: " + status.ended());
            check(job.held.equals(held), id, LATE + "what it holds: " + held);
        }
        jobs.forEach((id, job) ->
                check(
                        job.end != null || late.contains(id),
                        id,
                        "lives, and who comes late has no such job"));
    }

    /// Compares with what the books tell of jobs that have ended.
    ///
    /// @param booked each with all its runs
    void readBooks(Iterable<JsonNode> booked) {
        for (JsonNode it : booked) {
            long id = it.path("id").asLong();
            Job job = jobs.get(id);
            var charges = new TreeMap<Integer, Charge>();
            for (JsonNode run : it.path("runs")) {
                charges.merge(
                        run.path("lease").asInt(),
                        Json.mapper().convertValue(run.path("charge"), Charge.class),
                        Charge::plus);
            }
            var told = new TreeMap<Integer, Charge>();
            (job == null ? List.<EndedRun>of() : job.runs)
                    .forEach(run -> told.put(run.lease(), run.charge()));
            check(told.equals(charges), id, "is booked otherwise than told: " + charges);
        }
    }

    private void has(NodeStatus node) {
        has(node.node(), Holdings.MEMORY, node.seen().inventory().memoryMib());
        node.seen().inventory().gres().forEach(it -> has(node.node(), it.kind(), it.count()));
    }

    void read(Submission submission) {
        if (submission instanceof Submission.Submitted submitted && submitted.key() != null) {
            var key = List.of(submitted.description().user(), submitted.key().key());
            long id = submitted.job().value();
            long first = keys.computeIfAbsent(key, _ -> id);
            if (first != id) {
                repeated.put(id, first);
            }
        }
    }

    void read(JobEvent event) {
        long id = event.job().value();
        if (event instanceof JobEvent.Queued queued) {
            var job = new Job(queued.description().partition());
            check(jobs.putIfAbsent(id, job) == null, id, "was queued twice");
            return;
        }
        Job job = jobs.get(id);
        if (job == null) {
            breaks.add("job %d: %s before it was queued".formatted(id, event));
            return;
        }
        check(job.end == null, id, "goes on after its end: " + event);
        if (event instanceof JobEvent.Placed placed) {
            place(id, job, placed);
        } else if (event instanceof JobEvent.Started started) {
            check(started.lease() == job.leases && job.holding, id, "wrongly started: " + started);
        } else if (event instanceof JobEvent.Suspended suspended) {
            suspend(id, job, suspended);
        } else if (event instanceof JobEvent.Resumed resumed) {
            check(resumed.lease() == job.leases && job.holding, id, "wrongly resumed: " + resumed);
            job.given.forEach(thing -> hold(id, job, thing));
            if (job.run != null) {
                job.run.resumed(resumed.at());
            }
        } else if (event instanceof JobEvent.Requeued requeued) {
            job.requeued.add(requeued.run());
            charge(id, job, requeued.run(), requeued.at());
            release(id, job);
        } else if (event instanceof JobEvent.Ended ended) {
            end(id, job, ended);
        }
    }

    /// What was broken so far, and which of these acknowledged jobs were never heard of.
    List<String> breaks(List<Long> acknowledged) {
        var all = new ArrayList<>(breaks);
        repeated.forEach((id, first) -> {
            if (jobs.containsKey(id)) {
                all.add("job %d was queued, and its key was that of job %d".formatted(id, first));
            }
        });
        acknowledged.stream()
                .filter(id -> !jobs.containsKey(id))
                .forEach(id -> all.add("job " + id + " was acknowledged and is lost"));
        return all;
    }

    private void place(long id, Job job, JobEvent.Placed placed) {
        check(!job.holding, id, "is placed twice at a time: " + placed);
        check(placed.lease() == job.leases + 1, id, "skips a lease: " + placed);
        job.leases = placed.lease();
        job.holding = true;
        job.run = new PlacedRun(placed);
        placed.allocations().forEach(it -> job.given.addAll(Holdings.things(it)));
        job.given.forEach(thing -> hold(id, job, thing));
        placed.allocations()
                .forEach(it -> holdings.count(it).forEach(wrong -> check(false, id, wrong)));
    }

    private void charge(long id, Job job, EndedRun told, long at) {
        check(job.run != null && job.run.endedAs(told, at), id, "is charged otherwise: " + told);
    }

    private void hold(long id, Job job, Thing thing) {
        if (job.held.add(thing)) {
            holdings.hold(id, job.partition, thing).forEach(wrong -> check(false, id, wrong));
        }
    }

    private void suspend(long id, Job job, JobEvent.Suspended event) {
        check(event.lease() == job.leases && job.holding, id, "wrongly suspended: " + event);
        job.suspensions++;
        if (job.run != null) {
            job.run.suspended(event.at());
        }
        for (Thing thing : Set.copyOf(job.held)) {
            if (thing.cpu()) {
                holdings.leave(id, thing);
                job.held.remove(thing);
            }
        }
    }

    /// How that job ended.
    JobEvent.Ended end(long id) {
        Job job = jobs.get(id);
        if (job == null || job.end == null) {
            throw new AssertionError("job " + id + " has not ended");
        }
        return job.end;
    }

    /// How often these jobs were suspended in all.
    int suspensions(List<Long> ids) {
        return ids.stream()
                .map(jobs::get)
                .filter(Objects::nonNull)
                .mapToInt(it -> it.suspensions)
                .sum();
    }

    private void end(long id, Job job, JobEvent.Ended ended) {
        if (job.holding && !ended.runs().isEmpty()) {
            charge(id, job, ended.runs().getLast(), ended.at());
        }
        release(id, job);
        job.end = ended;
        job.runs = ended.runs();
        check(ended.runs().size() == job.leases, id, "ended with other runs than were placed");
        for (int i = 0; i < ended.runs().size(); i++) {
            check(ended.runs().get(i).lease() == i + 1, id, "ended with leases out of order");
        }
        check(
                ended.runs().size() >= job.requeued.size()
                        && ended.runs().subList(0, job.requeued.size()).equals(job.requeued),
                id,
                "tells otherwise of its requeued runs at its end");
    }

    private void release(long id, Job job) {
        job.held.forEach(thing -> holdings.leave(id, thing));
        job.held.clear();
        job.given.clear();
        if (job.run != null) {
            job.run.held().forEach(holdings::discount);
            job.run = null;
        }
        job.holding = false;
    }

    private void check(boolean right, long id, String otherwise) {
        if (!right) {
            breaks.add("job " + id + " " + otherwise);
        }
    }
}
