package io.berth.cli;

import io.berth.contracts.JobState;
import io.berth.slurm.SlurmTime;
import java.time.ZoneId;
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
    ARRAY_JOB('F', "ARRAY_JOB_ID"),
    ID('i', "JOBID"),
    NAME('j', "NAME"),
    TIME_LIMIT('l', "TIME_LIMIT"),
    TIME_LEFT('L', "TIME_LEFT"),
    MIN_MEMORY('m', "MIN_MEMORY"),
    TIME('M', "TIME"),
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
    NICE('y', "NICE");

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
            if (field.letter == letter) {
                return field;
            }
        }
        return null;
    }

    String value(JobView job, Moment moment) {
        return switch (this) {
            case ACCOUNT -> job.text("account");
            case BARE_ID, ID, ARRAY_JOB -> Long.toString(job.id());
            case TRES_PER_NODE -> job.gpusPerNode("N/A");
            case MIN_CPUS -> Long.toString(Math.max(1, job.number("cpusPerTask")));
            case CPUS -> Long.toString(job.number("cpus"));
            case NODES -> Long.toString(job.nodes());
            case END_TIME -> moment.iso(job.endAt());
            case DEPENDENCY, FEATURES -> "(null)";
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
            case START_TIME -> moment.iso(job.number("startedAt"));
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
            case MIN_CPUS -> numbers(one, other, "cpusPerTask");
            case CPUS -> numbers(one, other, "cpus");
            case NODES -> numbers(one, other, "nodes");
            case TIME_LIMIT, TIME_LEFT -> numbers(one, other, "timeLimitSeconds");
            case MIN_MEMORY -> numbers(one, other, "memoryMib");
            case PRIORITY -> numbers(one, other, "priority");
            case START_TIME -> numbers(one, other, "startedAt");
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
                    DEPENDENCY,
                    FEATURES,
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
