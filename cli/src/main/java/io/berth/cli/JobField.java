package io.berth.cli;

import io.berth.contracts.JobState;
import io.berth.slurm.SlurmTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A column of `squeue`.
///
/// Source: squeue(1), option `--format`.
enum JobField {
    ACCOUNT('a', "ACCOUNT"),
    BARE_ID('A', "JOBID"),
    TRES_PER_NODE('b', "TRES_PER_NODE"),
    MIN_CPUS('c', "MIN_CPUS"),
    CPUS('C', "CPUS"),
    NODES('D', "NODES"),
    END_TIME('e', "END_TIME"),
    DEPENDENCY('E', "DEPENDENCY"),
    FEATURES('f', "FEATURES"),
    OVERSUBSCRIBE('h', "OVER_SUBSCRIBE"),
    ARRAY_JOB('F', "ARRAY_JOB_ID"),
    ID('i', "JOBID"),
    NAME('j', "NAME"),
    COMMENT('k', "COMMENT"),
    ARRAY_TASK('K', "ARRAY_TASK_ID"),
    TIME_LIMIT('l', "TIME_LIMIT"),
    TIME_LEFT('L', "TIME_LEFT"),
    MIN_MEMORY('m', "MIN_MEMORY"),
    TIME('M', "TIME"),
    REQUIRED_NODES('n', "REQ_NODES"),
    NODELIST('N', "NODELIST"),
    PARTITION('P', "PARTITION"),
    QOS('q', "QOS"),
    PRIORITY('Q', "PRIORITY"),
    REASON('r', "REASON"),
    NODELIST_OR_REASON('R', "NODELIST(REASON)"),
    START_TIME('S', "START_TIME"),
    STATE_CODE('t', "ST"),
    STATE('T', "STATE"),
    USER('u', "USER"),
    SUBMIT_TIME('V', "SUBMIT_TIME"),
    EXCLUDED_NODES('x', "EXC_NODES"),
    NICE('y', "NICE"),
    PLANNED_NODES('Y', "SCHEDNODES"),
    TRES('\0', "TRES_ALLOC"),
    ELIGIBLE_TIME('\0', "ELIGIBLE_TIME"),
    DEADLINE('\0', "DEADLINE"),
    LOW_GPU_USE('\0', "LOW_GPU_USE"),
    RESERVATION('v', "RESERVATION"),
    LICENSES('W', "LICENSES");

    /// When a listing is made, and for which clock on the wall.
    record Moment(long now, Supplier<ZoneId> zone) {

        String iso(long millis) {
            return millis == 0 ? "N/A" : Dates.iso(millis, zone.get(), "N/A");
        }
    }

    private final char letter;
    private final String header;

    JobField(char letter, String header) {
        this.letter = letter;
        this.header = header;
    }

    String header() {
        return header;
    }

    static @Nullable JobField of(char letter) {
        for (JobField field : values()) {
            if (field.letter == letter && letter != 0) {
                return field;
            }
        }
        return null;
    }

    /// The field of a name in the language of `squeue -O`, in any case; null if there is none.
    static @Nullable JobField named(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "account" -> ACCOUNT;
            case "arrayjobid" -> ARRAY_JOB;
            case "arraytaskid" -> ARRAY_TASK;
            case "comment" -> COMMENT;
            case "deadline" -> DEADLINE;
            case "dependency" -> DEPENDENCY;
            case "eligibletime" -> ELIGIBLE_TIME;
            case "endtime" -> END_TIME;
            case "exc_nodes" -> EXCLUDED_NODES;
            case "feature" -> FEATURES;
            case "jobarrayid" -> ID;
            case "jobid" -> BARE_ID;
            case "lowgpuuse" -> LOW_GPU_USE;
            case "mincpus" -> MIN_CPUS;
            case "minmemory" -> MIN_MEMORY;
            case "name" -> NAME;
            case "nice" -> NICE;
            case "nodelist" -> NODELIST;
            case "numcpus" -> CPUS;
            case "numnodes" -> NODES;
            case "oversubscribe" -> OVERSUBSCRIBE;
            case "partition" -> PARTITION;
            case "prioritylong" -> PRIORITY;
            case "qos" -> QOS;
            case "reason" -> REASON;
            case "reasonlist" -> NODELIST_OR_REASON;
            case "reqnodes" -> REQUIRED_NODES;
            case "reservation" -> RESERVATION;
            case "licenses" -> LICENSES;
            case "schednodes" -> PLANNED_NODES;
            case "starttime" -> START_TIME;
            case "state" -> STATE;
            case "statecompact" -> STATE_CODE;
            case "submittime" -> SUBMIT_TIME;
            case "timeleft" -> TIME_LEFT;
            case "timelimit" -> TIME_LIMIT;
            case "timeused" -> TIME;
            case "tres-alloc" -> TRES;
            case "tres-per-node" -> TRES_PER_NODE;
            case "username" -> USER;
            default -> null;
        };
    }

    String value(JobView job, Moment moment) {
        return switch (this) {
            case ACCOUNT -> job.text("account");
            case BARE_ID -> Long.toString(job.id());
            case ID -> job.name();
            case ARRAY_JOB -> Long.toString(job.arrayOrSelf());
            case ARRAY_TASK -> job.task();
            case TRES -> job.tres();
            case TRES_PER_NODE -> job.gresPerNode("N/A");
            case LOW_GPU_USE -> job.lowGpuUse();
            case MIN_CPUS -> Long.toString(Math.max(1, job.number("cpusPerTask")));
            case CPUS -> Long.toString(job.number("cpus"));
            case NODES -> Long.toString(job.nodes());
            case END_TIME -> moment.iso(job.endAt());
            case DEPENDENCY -> job.orNull("dependency");
            case FEATURES -> job.orNull("constraint");
            case RESERVATION -> job.orNull("reservation");
            case LICENSES -> job.orNull("licenses");
            case OVERSUBSCRIBE -> job.overSubscribe();
            case COMMENT -> job.orNull("comment");
            case REQUIRED_NODES -> job.text("requiredNodes");
            case EXCLUDED_NODES -> job.text("excludedNodes");
            case PLANNED_NODES -> job.orNull("plannedNodes");
            case ELIGIBLE_TIME -> moment.iso(job.eligibleAt());
            case DEADLINE -> moment.iso(job.number("deadlineAt"));
            case NAME -> job.text("name");
            case TIME_LIMIT -> limit(job);
            case TIME_LEFT -> left(job, moment.now());
            case MIN_MEMORY -> job.memoryPerNode();
            case TIME -> SlurmTime.brief(job.elapsedSeconds(moment.now()));
            case NODELIST -> job.text("nodeList");
            case PARTITION -> job.text("partition");
            case QOS -> job.text("qos");
            case PRIORITY -> Long.toString(job.number("priority"));
            case REASON -> job.reason();
            case NODELIST_OR_REASON -> job.nodesOrReason();
            case START_TIME -> moment.iso(job.startAt());
            case STATE_CODE -> job.text("stateCode");
            case STATE -> job.state();
            case USER -> job.text("user");
            case SUBMIT_TIME -> moment.iso(job.number("submittedAt"));
            case NICE -> Long.toString(job.number("nice"));
        };
    }

    private static String limit(JobView job) {
        return job.unlimited()
                ? SlurmTime.UNLIMITED
                : SlurmTime.brief(job.number("timeLimitSeconds"));
    }

    private static String left(JobView job, long now) {
        long left = job.number("timeLimitSeconds") - job.elapsedSeconds(now);
        return job.unlimited() ? SlurmTime.UNLIMITED : SlurmTime.brief(Math.max(0, left));
    }

    /// The order of `--sort` by this field, ascending.
    int compare(JobView one, JobView other, Moment moment) {
        return switch (this) {
            case BARE_ID, ID, ARRAY_JOB -> Long.compare(one.id(), other.id());
            case ARRAY_TASK -> numbers(one, other, "arrayTask");
            case DEADLINE -> numbers(one, other, "deadlineAt");
            case ELIGIBLE_TIME -> Long.compare(one.eligibleAt(), other.eligibleAt());
            case MIN_CPUS -> numbers(one, other, "cpusPerTask");
            case CPUS -> numbers(one, other, "cpus");
            case NODES -> numbers(one, other, "nodes");
            case TIME_LIMIT, TIME_LEFT -> numbers(one, other, "timeLimitSeconds");
            case MIN_MEMORY -> numbers(one, other, "memoryMib");
            case PRIORITY -> numbers(one, other, "priority");
            case START_TIME -> Long.compare(start(one), start(other));
            case SUBMIT_TIME -> numbers(one, other, "submittedAt");
            case END_TIME -> Long.compare(one.endAt(), other.endAt());
            case NICE -> numbers(one, other, "nice");
            case TIME ->
                    Long.compare(
                            one.elapsedSeconds(moment.now()), other.elapsedSeconds(moment.now()));
            case STATE, STATE_CODE ->
                    Integer.compare(States.rank(one.state()), States.rank(other.state()));
            case ACCOUNT,
                    TRES_PER_NODE,
                    LOW_GPU_USE,
                    TRES,
                    DEPENDENCY,
                    FEATURES,
                    RESERVATION,
                    LICENSES,
                    OVERSUBSCRIBE,
                    COMMENT,
                    REQUIRED_NODES,
                    EXCLUDED_NODES,
                    PLANNED_NODES,
                    NAME,
                    NODELIST,
                    PARTITION,
                    QOS,
                    REASON,
                    NODELIST_OR_REASON,
                    USER ->
                    value(one, moment).compareTo(value(other, moment));
        };
    }

    /// A start that nobody knows comes last.
    private static long start(JobView job) {
        return job.startAt() == 0 ? Long.MAX_VALUE : job.startAt();
    }

    private static int numbers(JobView one, JobView other, String name) {
        return Long.compare(one.number(name), other.number(name));
    }

    /// Whether a job in this state is listed unless states are asked for.
    static boolean listed(JobView job) {
        return job.is(JobState.PENDING)
                || job.is(JobState.RUNNING)
                || job.is(JobState.SUSPENDED)
                || job.is(JobState.COMPLETING);
    }
}
