package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.slurm.SlurmMemory;
import io.berth.slurm.SlurmTime;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// What the tasks of a step used one by one, over its nodes, in the words of `sacct` and `sstat`.
/// What nobody counted is empty.
///
/// @param nodes that counted them
record TasksUse(List<JsonObject> nodes) {

    /// @param nodes as accounting and the gateway tell of a step on them
    static TasksUse of(List<JsonObject> nodes) {
        return new TasksUse(nodes.stream().filter(it -> it.has("byTask")).toList());
    }

    /// The task with the least or the most of something.
    ///
    /// @param amount milliseconds of CPU time, else MiB
    record Extreme(String node, String rank, String amount) {
        static final Extreme NONE = new Extreme("", "", "");
    }

    boolean counted() {
        return !nodes.isEmpty();
    }

    Extreme leastCpu() {
        JsonObject node =
                nodes.stream()
                        .min(Comparator.comparingLong(it -> amount(it, "leastCpu")))
                        .orElse(null);
        return extreme(node, "leastCpu", true);
    }

    /// @param name `mostMemory`, `mostRead` or `mostWritten`
    Extreme most(String name) {
        JsonObject node =
                nodes.stream()
                        .filter(it -> it.object("byTask").has(name))
                        .max(Comparator.comparingLong(it -> amount(it, name)))
                        .orElse(null);
        return extreme(node, name, false);
    }

    private static Extreme extreme(@Nullable JsonObject node, String name, boolean time) {
        if (node == null) {
            return Extreme.NONE;
        }
        long amount = amount(node, name);
        return new Extreme(
                node.text("node"),
                Long.toString(node.object("byTask").object(name).number("rank")),
                time ? SlurmTime.full(amount / 1000) : SlurmMemory.exact(amount));
    }

    private static long amount(JsonObject node, String name) {
        return node.object("byTask").object(name).number("amount");
    }

    /// CPU time of a task.
    String averageCpu() {
        OptionalLong millis = average("cpuMillis");
        return millis.isEmpty() ? "" : SlurmTime.full(millis.getAsLong() / 1000);
    }

    /// @param name `memoryMib`, `readMib` or `writtenMib`
    String averageMib(String name) {
        OptionalLong mib = average(name);
        return mib.isEmpty() ? "" : SlurmMemory.exact(mib.getAsLong());
    }

    private OptionalLong average(String name) {
        long tasks = 0;
        long sum = 0;
        for (JsonObject node : nodes) {
            JsonObject used = node.object("byTask");
            if (used.has(name)) {
                tasks += used.number("tasks");
                sum += used.number(name);
            }
        }
        return tasks == 0 ? OptionalLong.empty() : OptionalLong.of(sum / tasks);
    }
}
