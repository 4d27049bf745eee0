package io.berth.cli;

import io.berth.cli.CliOption.Words;
import io.berth.client.JsonObject;
import io.berth.slurm.HostList;
import io.berth.slurm.SlurmTime;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Which jobs `sacct` shows of those that the books tell of: what they are not asked for.
///
/// @param hosts on one of which it ran, as `reasons` of which it has one; none is any
/// @param leastSeconds of the time limit
record SacctFilter(
        List<String> hosts,
        List<String> reasons,
        long leastNodes,
        long mostNodes,
        long leastSeconds,
        long mostSeconds) {

    private static final Pattern NODES = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?");

    /// @throws CommandFailure naming the option that is wrong
    static SacctFilter of(Words words) throws CommandFailure {
        Matcher nodes = NODES.matcher(words.value("nnodes", "0-999999999"));
        if (!nodes.matches()) {
            throw CommandFailure.error(
                    "sacct", "--nnodes=" + words.value("nnodes") + " is not as 2, or 2-8");
        }
        long least = Long.parseLong(nodes.group(1));
        return new SacctFilter(
                words.hosts("sacct", "nodelist"),
                words.list("reason"),
                least,
                nodes.group(2) == null ? least : Long.parseLong(nodes.group(2)),
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

    List<JsonObject> of(List<JsonObject> jobs) {
        return jobs.stream().filter(this::shows).toList();
    }

    private boolean shows(JsonObject job) {
        long limit = job.number("timeLimitSeconds");
        long seconds = limit == 0 ? Long.MAX_VALUE : limit;
        long nodes = Math.max(1, job.number("nodes"));
        return nodes >= leastNodes
                && nodes <= mostNodes
                && seconds >= leastSeconds
                && seconds <= mostSeconds
                && (reasons.isEmpty() || reasons.contains(job.text("reason")))
                && (hosts.isEmpty()
                        || HostList.expand(job.text("nodeList")).stream()
                                .anyMatch(hosts::contains));
    }
}
