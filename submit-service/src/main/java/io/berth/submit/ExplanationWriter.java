package io.berth.submit;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.PrivateData;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.PartitionRules;
import io.berth.core.engine.Unplanned;
import io.berth.core.placement.Partitions;
import io.berth.core.placement.Verdict;
import io.berth.core.request.Sight;
import io.berth.slurm.SlurmTime;
import io.berth.submit.Explanation.Holding;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Puts an explanation into words.
final class ExplanationWriter {

    /// How many of those ahead are told.
    private static final int FIRST = 5;

    private final Job job;
    private final Picture picture;
    private final long now;
    private final Sight sight;
    private final boolean nodesHidden;
    private final ResourceRequest request;

    /// The partition that is spoken of.
    private final String in;

    private final @Nullable Partition partition;

    /// @param sight of the one who asks
    ExplanationWriter(Job job, Picture picture, long now, Sight sight) {
        this.sight = sight;
        this.nodesHidden = sight.hides(PrivateData.NODES);
        this.job = job;
        this.picture = picture;
        this.now = now;
        this.request = job.description().request();
        this.in =
                picture.configuration()
                        .filter(_ -> job.pending())
                        .map(it -> Partitions.first(it, job.description()))
                        .orElse(job.partition());
        this.partition =
                picture.configuration()
                        .map(Configuration::partitions)
                        .map(it -> it.get(in))
                        .orElse(null);
    }

    Explanation explanation() {
        var first = new TreeSet<>(Priority.order(in, picture, now));
        Integer ahead = job.pending() ? ahead(first) : null;
        Verdict verdict = picture.verdict(job.id(), now).orElse(null);
        return new Explanation(
                job,
                ahead == null ? ofPlaced() : inSeveral() + ofWaiting(ahead, verdict) + message(),
                ahead,
                first.stream().filter(it -> it.seenBy(sight)).toList(),
                verdict == null ? List.of() : holders(verdict),
                Priority.of(job, in, picture, now),
                verdict);
    }

    /// How many are tried before it.
    ///
    /// @param first takes the first of them
    private int ahead(TreeSet<Job> first) {
        Comparator<? super Job> order = Objects.requireNonNull(first.comparator());
        int[] count = {0};
        picture.jobs(now)
                .filter(Job::pending)
                .filter(other -> other.partitions().contains(in))
                .filter(other -> order.compare(other, job) < 0)
                .forEach(other -> {
                    count[0]++;
                    if (first.size() < FIRST) {
                        first.add(other);
                    } else if (order.compare(other, first.last()) < 0) {
                        first.pollLast();
                        first.add(other);
                    }
                });
        return count[0];
    }

    private List<Holding> holders(Verdict verdict) {
        return verdict.holders().stream()
                .flatMap(it ->
                        picture.job(it.job(), now).stream()
                                .filter(holder -> holder.seenBy(sight))
                                .map(holder -> new Holding(holder, it.until())))
                .toList();
    }

    private String ofPlaced() {
        String reason = why() + message();
        return switch (job.state()) {
            case RUNNING -> "The job runs on " + hosts() + "." + reason;
            case SUSPENDED ->
                    "The job is suspended on "
                            + hosts()
                            + (job.reason() == Reason.RESOURCES
                                    ? ", and goes on when its CPUs are free."
                                    : ".")
                            + reason;
            case COMPLETING ->
                    "The job's outcome is known; its nodes "
                            + hosts()
                            + " are still being cleared."
                            + reason;
            case CANCELLED ->
                    "The job was cancelled"
                            + (job.cancelledBy() == null ? "" : " by " + job.cancelledBy())
                            + "."
                            + reason;
            case PENDING,
                    COMPLETED,
                    FAILED,
                    TIMEOUT,
                    NODE_FAIL,
                    PREEMPTED,
                    BOOT_FAIL,
                    DEADLINE,
                    OUT_OF_MEMORY ->
                    "The job ended as "
                            + job.state()
                            + (job.exit() == null ? "" : ", exit status " + job.exit())
                            + "."
                            + reason;
        };
    }

    private String why() {
        return switch (job.reason()) {
            case NODE_DOWN -> " A node of it is down, and whether it still runs is not known.";
            case JOB_LAUNCH_FAILURE -> " It could not be started.";
            case TIME_LIMIT ->
                    " It reached its time limit of "
                            + time(job.description().timeLimitSeconds())
                            + ".";
            case OUT_OF_MEMORY -> " It used more memory than it had asked for.";
            case DEADLINE ->
                    " It could not have ended by its deadline, or has waited as long as it may.";
            case DEPENDENCY_NEVER_SATISFIED -> " What it depended on could never happen any more.";
            default -> "";
        };
    }

    /// What was said of the end of its last run: that of a job that goes on is the one before.
    private String message() {
        if (job.message() == null) {
            return "";
        }
        boolean goesOn = !job.state().terminal() && job.state() != JobState.COMPLETING;
        return (goesOn ? " The run before ended: " : " ") + job.message() + ".";
    }

    private String hosts() {
        return String.join(",", job.held().stream().map(it -> it.node().value()).toList());
    }

    /// What is to be said before that of one partition where a job may start in several.
    private String inSeveral() {
        Configuration configuration = picture.configuration().orElse(null);
        if (job.partitions().size() == 1 || configuration == null) {
            return "";
        }
        var text = new StringBuilder("It may start in any of its partitions. ");
        for (JobDescription it : Partitions.inOrder(configuration, job.description())) {
            Reason refusal = Partitions.refusal(configuration, it);
            if (refusal != null && !it.partition().equals(in)) {
                text.append(
                        "%s does not let it start: %s. "
                                .formatted(it.partition(), refusal.slurmName()));
            }
        }
        Planned planned = job.planned();
        if (planned != null && planned.partition() != null) {
            text.append("It is expected to in %s. ".formatted(planned.partition()));
        }
        return text.append("In ").append(in).append(": ").toString();
    }

    private String ofWaiting(int ahead, @Nullable Verdict verdict) {
        return switch (job.reason()) {
            case NONE -> "The scheduler has not looked at the job yet.";
            case JOB_HELD_USER,
                    JOB_HELD_ADMIN,
                    BEGIN_TIME,
                    DEPENDENCY,
                    DEPENDENCY_NEVER_SATISFIED ->
                    barred();
            case JOB_ARRAY_TASK_LIMIT ->
                    "As many tasks of its array run as may at once"
                            + throttle(job.description().array())
                            + ".";
            case RESERVATION -> reserved();
            case RESERVED_FOR_MAINTENANCE, RESERVED_FOR_OTHERS ->
                    "It could last into %s that begins before it would have ended: a shorter time limit may let it start. It waits for %s."
                            .formatted(
                                    job.reason() == Reason.RESERVED_FOR_MAINTENANCE
                                            ? "maintenance"
                                            : "a reservation",
                                    wanted());
            case LICENSES -> "Licenses that it needs are in use.";
            case RESOURCES ->
                    "It is next in partition %s and waits for %s. %s%s"
                            .formatted(in, wanted(), free(), unplanned(verdict));
            case PRIORITY ->
                    "%s before it in partition %s. It waits for %s. %s%s"
                            .formatted(
                                    ahead == 1 ? "One job is" : ahead + " jobs are",
                                    in,
                                    wanted(),
                                    free(),
                                    unplanned(verdict));
            case BAD_CONSTRAINTS -> badConstraints();
            case REQ_NODE_NOT_AVAIL -> nodesNotAvailable();
            case PARTITION_TIME_LIMIT ->
                    "Its time limit of %s is above the %s that partition %s allows."
                            .formatted(
                                    time(job.description().timeLimitSeconds()),
                                    time(partition == null ? 0 : partition.maxTimeSeconds()),
                                    in);
            case PARTITION_NODE_LIMIT ->
                    "It asks for %d nodes, and partition %s allows %d for one job."
                            .formatted(
                                    request.nodes(),
                                    in,
                                    partition == null ? 0 : partition.maxNodes());
            case PARTITION_DOWN, PARTITION_INACTIVE ->
                    "Partition " + in + " starts no jobs at present.";
            case ACCOUNT_NOT_ALLOWED ->
                    "Partition %s does not let account %s in any more."
                            .formatted(in, job.description().account());
            case QOS_NOT_ALLOWED ->
                    "Partition %s does not let QOS %s in any more."
                            .formatted(in, job.description().qos());
            case PARTITION_CONFIG -> "Partition " + in + " is not configured any more.";
            case NODE_DOWN,
                    NON_ZERO_EXIT_CODE,
                    RAISED_SIGNAL,
                    JOB_LAUNCH_FAILURE,
                    TIME_LIMIT,
                    DEADLINE,
                    OUT_OF_MEMORY ->
                    "It waits again after a run that ended with "
                            + job.reason().slurmName()
                            + "."
                            + why();
            default ->
                    "It waits because of the limit "
                            + job.reason().slurmName()
                            + " of its account, user or QOS.";
        };
    }

    /// Said of a job that only room is wanting for.
    private String unplanned(@Nullable Verdict verdict) {
        if (job.planned() != null) {
            return "";
        }
        if (verdict == null) {
            return " It has no expected start.";
        }
        Unplanned why = verdict.unplanned();
        return why == null ? "" : " It has no expected start: " + because(why) + ".";
    }

    private String because(Unplanned unplanned) {
        return switch (unplanned.cause()) {
            case PLAN ->
                    "the plan holds %s and does not reach it yet"
                            .formatted(counted(unplanned.count(), "job"));
            case SEARCH ->
                    "the search stopped after the %d moments, or the nodes, that it looks at; it starts as soon as enough is free"
                            .formatted(unplanned.count());
            case LIMITS -> "what is planned for others takes up what its limits let run";
            case DEADLINE -> "as things stand, it will not start before " + inTime();
            case NEVER -> "as things stand, there is room for it at no time at which it may start";
            case NO_RESERVE -> "its QOS gives none (NoReserve)";
        };
    }

    /// When it ends if it has not started.
    private String inTime() {
        JobTerms terms = job.description().conditions();
        String wait = "it has waited as long as it may";
        if (terms.maxWaitSeconds() == null) {
            return "its deadline";
        }
        return terms.deadlineAt() == null ? wait : "its deadline, or before " + wait;
    }

    /// Why a job is not in the queue at all yet.
    private String barred() {
        JobTerms terms = job.description().conditions();
        return switch (job.reason()) {
            case JOB_HELD_ADMIN ->
                    "An operator holds it; an operator releases it with `scontrol release "
                            + job.id()
                            + "`.";
            case BEGIN_TIME ->
                    "It may not begin before "
                            + (terms.beginAt() == null
                                    ? "its time"
                                    : Instant.ofEpochMilli(terms.beginAt()))
                            + ".";
            case DEPENDENCY -> "It waits for what it depends on: " + terms.dependency() + ".";
            case DEPENDENCY_NEVER_SATISFIED ->
                    "What it depends on can never happen any more: "
                            + terms.dependency()
                            + ". Cancel it, or change it with `scontrol update jobid="
                            + job.id()
                            + " dependency=`.";
            default -> "It is held; `scontrol release " + job.id() + "` lets it wait for its turn.";
        };
    }

    private String reserved() {
        String name = request.where().reservation();
        Reservation it =
                picture.configuration()
                        .map(Configuration::reservations)
                        .map(all -> name == null ? null : all.get(name))
                        .orElse(null);
        if (it == null) {
            return "Its reservation %s is not there any more.".formatted(name);
        }
        long start = it.startAt(now);
        Instant end = Instant.ofEpochMilli(it.endOf(start));
        if (it.over(now)) {
            return "Its reservation %s ended at %s.".formatted(name, end);
        }
        return it.on(now)
                ? "Its time limit of %s reaches beyond %s, the end of its reservation %s, or its nodes are closed to it before."
                        .formatted(time(job.description().timeLimitSeconds()), end, name)
                : "It waits for its reservation %s, which begins at %s."
                        .formatted(name, Instant.ofEpochMilli(start));
    }

    private static String throttle(@Nullable ArrayTask task) {
        return task == null ? "" : ": " + task.throttle();
    }

    private String badConstraints() {
        var registrations = candidates().stream().map(it -> it.status().seen()).toList();
        String because =
                picture.configuration()
                        .flatMap(it ->
                                new Feasibility(
                                                request,
                                                registrations,
                                                it.cluster(),
                                                rules(it),
                                                !nodesHidden)
                                        .obstacle())
                        .orElse(
                                registrations.isEmpty()
                                        ? "no node of it is registered"
                                        : "it has too few such nodes");
        return "No nodes of partition %s could ever hold it: it asks for %s, but %s."
                .formatted(in, wanted(), because);
    }

    private PartitionRules rules(Configuration configuration) {
        Partition partition = configuration.partitions().get(in);
        return partition == null ? PartitionRules.DEFAULT : partition.partitionRules();
    }

    private String nodesNotAvailable() {
        var away =
                candidates().stream()
                        .filter(node -> !node.up())
                        .map(node -> node.name() + " (" + node.state() + ")")
                        .toList();
        return "Nodes that could hold it are not available"
                + (nodesHidden ? "" : ": " + Checks.listed(away))
                + ". It waits for "
                + wanted()
                + ".";
    }

    private String wanted() {
        GpuRequest gpus = request.gpus();
        var text = new StringBuilder();
        if (gpus.share() != null) {
            text.append(Feasibility.words(gpus)).append(" of a GPU, ");
        }
        if (request.gpusOn(0) > 0) {
            text.append(
                    gpus.ofEach().stream()
                            .map(it ->
                                    counted(
                                            request.gpusOn(0, it),
                                            (it.type() == null ? "" : it.type() + " ") + "GPU"))
                            .collect(Collectors.joining(", ")));
            if (gpus.minMemoryMib() != null) {
                text.append(" of ").append(gpus.minMemoryMib()).append(" MiB at least");
            }
            text.append(", ");
        }
        request.gres().forEach(gres -> text.append(gres.text()).append(", "));
        text.append(counted(request.cpusOn(0), "CPU"));
        if (request.memory().wholeNode()) {
            text.append(" and all memory");
        } else {
            text.append(" and ").append(request.memoryMibOn(0, 0)).append(" MiB of memory");
        }
        text.append(
                request.nodes() == 1
                        ? " on one node"
                        : " on each of " + request.nodes() + " nodes");
        return text.toString();
    }

    private String free() {
        List<Node> nodes = candidates();
        List<Node> up = nodes.stream().filter(Node::up).toList();
        GpuRequest gpus = request.gpus();
        long freeGpus = up.stream().mapToLong(node -> freeGpus(node, gpus)).sum();
        long mostGpus = up.stream().mapToLong(node -> freeGpus(node, gpus)).max().orElse(0);
        int mostCpus =
                up.stream()
                        .mapToInt(node -> node.inventory().cpus() - node.cpusHeld())
                        .max()
                        .orElse(0);
        String text =
                request.gpusOn(0) > 0
                        ? "Free are %s, at most %d on one node, and at most %s on one node"
                                .formatted(
                                        counted(freeGpus, "such GPU"),
                                        mostGpus,
                                        counted(mostCpus, "CPU"))
                        : "Free are at most %s on one node".formatted(counted(mostCpus, "CPU"));
        return text + "; " + up.size() + " of " + counted(nodes.size(), "node") + " up.";
    }

    private static long freeGpus(Node node, GpuRequest request) {
        return node.inventory().gpus().stream()
                .filter(request::admits)
                .filter(gpu -> !node.gpuHolders().containsKey(gpu.uuid()))
                .count();
    }

    private List<Node> candidates() {
        return partition == null
                ? List.of()
                : picture.nodes().stream()
                        .filter(node -> PartitionNodes.has(partition, node.name()))
                        .toList();
    }

    private static String counted(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    private static String time(long seconds) {
        return seconds == 0 ? SlurmTime.UNLIMITED : SlurmTime.full(seconds);
    }
}
