package io.berth.standalone;

import io.berth.contracts.Allocation;
import io.berth.contracts.EndedRun;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.LogReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// A reader of the public topics that believes nobody: it folds the events of `jobs` by itself, and
/// notes every break of the invariants that they can show.
///
/// - an acknowledged job is queued, once (I1)
/// - at every position of the log no GPU and no CPU is held twice, but CPUs by so many jobs of a
///   partition as it is told; a suspended run holds no CPUs. No node's memory is held beyond what
///   it last said to have (I2)
/// - leases count 1, 2, 3 …, and one never begins before the one before is over (I3)
/// - a job ends once, and tells of the same runs that were placed and requeued; the charge of each
///   is what it held, times how long (I4)
/// - who comes late, and finds the last state of each job in `job-states`, knows the same of them
///   as who saw every event (I6)
///
/// What other events say does not move what a job holds.
final class JobsAudit {

    private static final String CPU = " CPU ";

    /// So often it is looked for a moment in which no job changes.
    private static final int MOMENTS = 100;

    private static final String LATE = "is not to who comes late what events told of ";
    private static final TopicPartition EVENTS = new TopicPartition(Topics.JOBS.name(), 0);
    private static final TopicPartition STATES = new TopicPartition(Topics.JOB_STATES.name(), 0);
    private static final TopicPartition NODES = new TopicPartition(Topics.NODE_STATES.name(), 0);

    private final Map<Long, Job> jobs = new TreeMap<>();
    private final Map<String, Set<Long>> holders = new HashMap<>();
    private final Map<String, Integer> together = new HashMap<>();
    private final Map<NodeName, Long> memory = new HashMap<>();
    private final Map<NodeName, Long> memoryHeld = new HashMap<>();
    private final List<String> breaks = new ArrayList<>();

    private static final class Job {
        private final String partition;
        private int leases;
        private boolean holding;
        private int suspensions;
        private JobEvent.@Nullable Ended end;
        private @Nullable PlacedRun run;
        private final Set<String> given = new HashSet<>();
        private final Set<String> held = new HashSet<>();
        private final List<EndedRun> requeued = new ArrayList<>();
        private List<EndedRun> runs = requeued;

        private Job(String partition) {
            this.partition = partition;
        }
    }

    /// So many jobs of a partition may hold a CPU together.
    JobsAudit together(String partition, int most) {
        together.put(partition, most);
        return this;
    }

    /// A node has so much memory.
    JobsAudit memory(NodeName node, long mib) {
        memory.put(node, mib);
        return this;
    }

    /// Reads the whole topics, at a moment in which no job changes.
    static JobsAudit of(KafkaConnection kafka) {
        try (var consumer = kafka.consumer()) {
            for (int i = 0; i < MOMENTS; i++) {
                long before = consumer.endOffsets(List.of(STATES)).getOrDefault(STATES, 0L);
                var audit = new JobsAudit();
                read(
                        consumer,
                        NODES,
                        new Events<>(Topics.NODE_STATES, "audit"),
                        (_, it) -> audit.has(Objects.requireNonNull(it)));
                read(
                        consumer,
                        EVENTS,
                        new Events<>(Topics.JOBS, "audit"),
                        (_, it) -> audit.read(Objects.requireNonNull(it)));
                var states = new TreeMap<String, JobStatus>();
                read(
                        consumer,
                        STATES,
                        new Events<>(Topics.JOB_STATES, "audit"),
                        (key, it) -> states.compute(key, (_, _) -> it));
                if (before == consumer.position(STATES)) {
                    audit.readLate(states.values());
                    return audit;
                }
            }
        }
        throw new AssertionError("jobs change all the time");
    }

    private static <E> void read(
            Consumer<byte[], byte[]> consumer,
            TopicPartition partition,
            Events<E> events,
            BiConsumer<String, @Nullable E> reader) {
        LogReader.readAll(
                consumer,
                List.of(partition),
                record -> {
                    try {
                        String key = new String(record.key(), StandardCharsets.UTF_8);
                        reader.accept(key, record.value() == null ? null : events.event(record));
                    } catch (UnknownEventType | CorruptEvent e) {
                        throw new AssertionError(record.toString(), e);
                    }
                });
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
            Set<String> held = new TreeSet<>();
            (run == null ? List.<Allocation>of() : run.held())
                    .forEach(it -> held.addAll(things(it)));
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

    private void has(NodeStatus node) {
        memory(node.node(), node.seen().inventory().memoryMib());
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
        return Stream.concat(
                        breaks.stream(),
                        acknowledged.stream()
                                .filter(id -> !jobs.containsKey(id))
                                .map(id -> "job " + id + " was acknowledged and is lost"))
                .toList();
    }

    private void place(long id, Job job, JobEvent.Placed placed) {
        check(!job.holding, id, "is placed twice at a time: " + placed);
        check(placed.lease() == job.leases + 1, id, "skips a lease: " + placed);
        job.leases = placed.lease();
        job.holding = true;
        job.run = new PlacedRun(placed);
        placed.allocations().forEach(it -> job.given.addAll(things(it)));
        job.given.forEach(thing -> hold(id, job, thing));
        placed.allocations().forEach(it -> holdMemory(id, it));
    }

    private void holdMemory(long id, Allocation it) {
        long held = memoryHeld.merge(it.node(), it.memoryMib(), Long::sum);
        long most = memory.getOrDefault(it.node(), Long.MAX_VALUE);
        check(held <= most, id, "holds memory of %s of which %d MiB are held".formatted(it, held));
    }

    private void charge(long id, Job job, EndedRun told, long at) {
        check(job.run != null && job.run.endedAs(told, at), id, "is charged otherwise: " + told);
    }

    /// The CPUs and GPUs of an allocation, by node.
    private static List<String> things(Allocation allocation) {
        return Stream.concat(
                        allocation.gpus().stream().map(gpu -> " " + gpu),
                        allocation.cpus().toBitSet().stream().mapToObj(cpu -> CPU + cpu))
                .map(thing -> allocation.node() + thing)
                .toList();
    }

    private void hold(long id, Job job, String thing) {
        if (job.held.add(thing)) {
            Set<Long> others = holders.computeIfAbsent(thing, _ -> new TreeSet<>());
            int most = thing.contains(CPU) ? together.getOrDefault(job.partition, 1) : 1;
            boolean right =
                    others.size() < most && others.stream().allMatch(it -> isOf(job.partition, it));
            List<String> names = others.stream().map(it -> "job " + it).toList();
            check(right, id, "holds " + thing + ", which is held by " + names);
            others.add(id);
        }
    }

    private boolean isOf(String partition, long other) {
        return Objects.requireNonNull(jobs.get(other)).partition.equals(partition);
    }

    private void leave(long id, String thing) {
        holders.getOrDefault(thing, new TreeSet<>()).remove(id);
    }

    private void suspend(long id, Job job, JobEvent.Suspended event) {
        check(event.lease() == job.leases && job.holding, id, "wrongly suspended: " + event);
        job.suspensions++;
        if (job.run != null) {
            job.run.suspended(event.at());
        }
        for (String thing : Set.copyOf(job.held)) {
            if (thing.contains(CPU)) {
                leave(id, thing);
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
        job.held.forEach(thing -> leave(id, thing));
        job.held.clear();
        job.given.clear();
        if (job.run != null) {
            job.run.held().forEach(it -> memoryHeld.merge(it.node(), -it.memoryMib(), Long::sum));
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
