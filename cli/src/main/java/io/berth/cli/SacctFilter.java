package io.berth.cli;

import io.berth.cli.CliOption.Words;
import io.berth.client.JsonObject;
import io.berth.slurm.HostList;
import io.berth.slurm.SlurmTime;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Which jobs `sacct` shows of those that the books tell of: what they are not asked for.
///
/// @param hosts on one of which it ran, as `reasons` of which it has one, and `groups`, by name or
///   number, in one of which it was; none is any
/// @param states in one of which it was in the time from `from` to `to`, in epoch milliseconds;
///   none is any
/// @param leastSeconds of the time limit
record SacctFilter(
        Set<String> states,
        long from,
        long to,
        List<String> hosts,
        List<String> reasons,
        List<String> groups,
        Range nodes,
        Range cpus,
        long leastSeconds,
        long mostSeconds) {

    /// How many of something a job had.
    record Range(long least, long most) {

        private static final Pattern TEXT = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?");

        private static Range of(Words words, String option) throws CommandFailure {
            Matcher text = TEXT.matcher(words.value(option, "0-999999999"));
            if (!text.matches()) {
                throw CommandFailure.error(
                        "sacct",
                        "--%s=%s is not as 2, or 2-8".formatted(option, words.value(option)));
            }
            long least = Long.parseLong(text.group(1));
            return new Range(least, text.group(2) == null ? least : Long.parseLong(text.group(2)));
        }

        private boolean has(long count) {
            return count >= least && count <= most;
        }
    }

    /// @throws CommandFailure naming the option that is wrong
    static SacctFilter of(Words words, Set<String> states, long from, long to)
            throws CommandFailure {
        return new SacctFilter(
                states,
                from,
                to,
                words.hosts("sacct", "nodelist"),
                words.list("reason"),
                Stream.concat(words.list("group").stream(), words.list("gid").stream()).toList(),
                Range.of(words, "nnodes"),
                Range.of(words, "ncpus"),
                limit(words, "timelimit-min", 0),
                limit(words, "timelimit-max", Long.MAX_VALUE));
    }

    private static long limit(Words words, String option, long otherwise) throws CommandFailure {
        String text = words.value(option);
        if (text == null) {
            return otherwise;
        }
        OptionalLong seconds = SlurmTime.parseLimit(text);
        if (seconds.isEmpty()) {
            throw CommandFailure.error("sacct", "Invalid time specification: " + text);
        }
        return seconds.getAsLong() == 0 ? Long.MAX_VALUE : seconds.getAsLong();
    }

    /// Each user is a group of his own.
    private static boolean isOf(JsonObject job, String group) {
        String user = job.text("user");
        return group.equals(user) || group.equals(Accounts.ofMachine().idOf(user));
    }

    /// Of states that a job leaves again, other than to wait and to run, only the one that it is in
    /// now is known.
    private boolean wasIn(JsonObject job, String state) {
        long ended = job.has("endedAt") ? job.number("endedAt") : Long.MAX_VALUE;
        long started = job.has("startedAt") ? job.number("startedAt") : ended;
        return switch (state) {
            case "PENDING" -> {
                long eligible = job.number(job.has("eligibleAt") ? "eligibleAt" : "submittedAt");
                yield eligible <= to && started >= from;
            }
            case "RUNNING" -> job.has("startedAt") && started <= to && ended >= from;
            default ->
                    job.text("state").equals(state)
                            && (ended == Long.MAX_VALUE || (ended >= from && ended <= to));
        };
    }

    List<JsonObject> of(List<JsonObject> jobs) {
        return jobs.stream().filter(this::shows).toList();
    }

    private boolean shows(JsonObject job) {
        long limit = job.number("timeLimitSeconds");
        long seconds = limit == 0 ? Long.MAX_VALUE : limit;
        return nodes.has(Math.max(1, job.number("nodes")))
                && cpus.has(job.number("cpus"))
                && seconds >= leastSeconds
                && seconds <= mostSeconds
                && (groups.isEmpty() || groups.stream().anyMatch(it -> isOf(job, it)))
                && (states.isEmpty() || states.stream().anyMatch(it -> wasIn(job, it)))
                && (reasons.isEmpty() || reasons.contains(job.text("reason")))
                && (hosts.isEmpty()
                        || HostList.expand(job.text("nodeList")).stream()
                                .anyMatch(hosts::contains));
    }
}
