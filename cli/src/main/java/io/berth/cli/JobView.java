package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.contracts.JobState;
import io.berth.slurm.SlurmMemory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A job as the gateway tells of it.
///
/// @param tasks the tasks of an array that this stands for, as `[1-4%2]`; empty for the job alone
record JobView(JsonObject json, String tasks) {

    private static final String PER_CPU = "memoryMibPerCpu";

    JobView(JsonObject json) {
        this(json, "");
    }

    static List<JobView> all(JsonObject answer) {
        return answer.objects("jobs").stream().map(JobView::new).toList();
    }

    long id() {
        return json.number("id");
    }

    /// Whether it is a task of an array.
    boolean array() {
        return json.has("arrayJob");
    }

    /// Whether it is a component of a heterogeneous job.
    boolean het() {
        return json.has("hetJob");
    }

    /// The ids of all components: `17-19`; empty for a job that is none.
    String hetJobs() {
        long first = json.number("hetJob");
        return het() ? first + "-" + (first + json.number("hetSize") - 1) : "";
    }

    /// `17`, `17_4` for a task of an array, `17_[5-9]` for several, `17+1` for a component.
    String name() {
        return het()
                ? json.number("hetJob") + "+" + json.number("hetOffset")
                : array()
                        ? json.number("arrayJob") + "_" + (tasks.isEmpty() ? task() : tasks)
                        : Long.toString(id());
    }

    /// The task's index, or those that this stands for; `N/A` for a job of no array.
    String task() {
        return !array() ? "N/A" : tasks.isEmpty() ? Long.toString(json.number("arrayTask")) : tasks;
    }

    /// The id of the array, or the job's own.
    long arrayOrSelf() {
        return array() ? json.number("arrayJob") : id();
    }

    JobView with(String otherTasks) {
        return new JobView(json, otherTasks);
    }

    /// The job as it is in one of its partitions.
    JobView in(String partition) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(json.fields());
        fields.put("partition", partition);
        return new JobView(new JsonObject(fields), tasks);
    }

    /// When it started, or is expected to: not before it may begin; 0 if that is open.
    long startAt(long now) {
        if (json.has("startedAt")) {
            return json.number("startedAt");
        }
        long planned = json.number("plannedStart");
        boolean begins = is(JobState.PENDING) && json.number("beginAt") > now;
        return planned == 0 && begins ? json.number("beginAt") : planned;
    }

    /// Since when it may start as far as it alone is concerned; 0 if it may not.
    long eligibleAt() {
        if (json.has("eligibleAt")) {
            long at = json.number("eligibleAt");
            return at == 0 ? json.number("beginAt") : at;
        }
        return json.number("submittedAt");
    }

    /// Since when it grows older; 0 if it does not yet.
    long accrueAt(long now) {
        long at = eligibleAt();
        return at > now ? 0 : at;
    }

    /// Whom it shares its nodes or CPUs with, in Slurm's words.
    String overSubscribe() {
        if (json.flag("exclusive")) {
            return "NO";
        }
        if (json.flag("exclusiveTopo")) {
            return "TOPO";
        }
        return json.flag("exclusiveUser") ? "USER" : json.flag("oversubscribe") ? "YES" : "OK";
    }

    String orNull(String name) {
        return json.text(name).isEmpty() ? "(null)" : json.text(name);
    }

    String orNone(String name) {
        return json.has(name) ? Long.toString(json.number(name)) : "N/A";
    }

    /// A number, `*` where it is not told.
    String orAny(String name) {
        return json.has(name) ? Long.toString(json.number(name)) : "*";
    }

    /// `gres:gpu:a100:10` by that field, or `otherwise` where it is not told.
    String counted(String field, String otherwise) {
        return json.has(field)
                ? gpus(json.number(field)).stream()
                        .map(it -> "gres:gpu:" + it)
                        .collect(Collectors.joining(","))
                : otherwise;
    }

    /// How long it waited, or waits, since it was submitted.
    long pendingSeconds(long now) {
        long until = json.has("startedAt") ? json.number("startedAt") : now;
        return Math.max(0, until - json.number("submittedAt")) / 1000;
    }

    String text(String name) {
        return json.text(name);
    }

    long number(String name) {
        return json.number(name);
    }

    String state() {
        return json.text("state");
    }

    boolean is(JobState state) {
        return state().equals(state.name());
    }

    /// Whether it is told as the books have it: the gateway has forgotten it.
    boolean fromBooks() {
        return json.flag("fromBooks");
    }

    boolean ended() {
        for (JobState state : JobState.values()) {
            if (is(state)) {
                return state.terminal();
            }
        }
        return false;
    }

    String reason() {
        return json.has("reason") ? json.text("reason") : "None";
    }

    boolean unlimited() {
        return json.number("timeLimitSeconds") == 0;
    }

    /// Seconds since it was started, until its end if it has ended, without those for which it was
    /// suspended.
    long elapsedSeconds(long now) {
        long started = json.number("startedAt");
        if (started == 0) {
            return 0;
        }
        long end = json.has("endedAt") ? json.number("endedAt") : now;
        return Math.max(0, (end - started) / 1000 - json.number("suspendedSeconds"));
    }

    /// When it ended, or ends at the latest, in milliseconds; 0 if that is open.
    long endAt(long now) {
        if (json.has("endedAt")) {
            return json.number("endedAt");
        }
        long start = startAt(now);
        return start == 0 || unlimited()
                ? 0
                : start
                        + (json.number("timeLimitSeconds") + json.number("suspendedSeconds"))
                                * 1000;
    }

    long nodes() {
        return Math.max(1, json.number("nodes"));
    }

    /// `gres:gpu:a100:8,gres:nic:1`, `gres:mps:50`, or `otherwise` for a job without any.
    String gresPerNode(String otherwise) {
        var items = new ArrayList<String>();
        JsonObject part = part();
        long count = json.number("gpusPerNode");
        if (part != null) {
            items.add("gres:" + part.text("asked"));
        } else if (count > 0) {
            gpus(count).forEach(it -> items.add("gres:gpu:" + it));
        }
        gres().forEach(it -> items.add("gres:" + it));
        return items.isEmpty() ? otherwise : String.join(",", items);
    }

    /// `a100:8`, or of several types each: `a100:2` and `v100:1`.
    ///
    /// @param count of all types: as many as are told of each, or on each socket a part of those
    private List<String> gpus(long count) {
        if (!json.has("gpuTypes")) {
            return List.of(json.has("gpuType") ? json.text("gpuType") + ":" + count : "" + count);
        }
        List<String> types = CliOption.split(json.text("gpuTypes"));
        long told = types.stream().mapToLong(JobView::count).sum();
        return types.stream()
                .map(it -> it.substring(0, it.lastIndexOf(':') + 1) + count * count(it) / told)
                .toList();
    }

    /// `a100:2` is 2.
    private static long count(String item) {
        return Long.parseLong(item.substring(item.lastIndexOf(':') + 1));
    }

    /// Other resources than GPUs that it wants on each node: `nic:1`.
    private List<String> gres() {
        return json.has("gres") ? CliOption.split(json.text("gres")) : List.of();
    }

    /// `,gres/nic=2`
    private String gresTres() {
        var text = new StringBuilder();
        for (String item : gres()) {
            int colon = item.lastIndexOf(':');
            long count = count(item) * nodes();
            text.append(",gres/").append(item, 0, colon).append('=').append(count);
        }
        return text.toString();
    }

    /// `gpu-01:3%`: the nodes on which its run hardly uses its GPUs, and how much; empty if none.
    String lowGpuUse() {
        return json.objects("lowGpuUse").stream()
                .map(it -> it.text("node") + ":" + it.number("percent") + "%")
                .collect(Collectors.joining(","));
    }

    /// Whether it asks for its memory by CPU.
    boolean memoryByCpu() {
        return json.has(PER_CPU);
    }

    /// The memory that it asks for: of one CPU, or of one node; `0` if it is all of a node and none
    /// is assigned yet.
    String memory() {
        return memoryByCpu() ? SlurmMemory.exact(json.number(PER_CPU)) : memoryPerNode();
    }

    private String memoryPerNode() {
        long mib = json.number("memoryMib");
        return mib == 0 ? "0" : SlurmMemory.exact(Math.ceilDiv(mib, nodes()));
    }

    /// `cpu=4,mem=1G,node=1,billing=4,gres/gpu=2`
    String tres() {
        long mib = json.number("memoryMib");
        long gpus = json.number("gpus");
        JsonObject part = part();
        return "cpu="
                + json.number("cpus")
                + (mib == 0 ? "" : ",mem=" + SlurmMemory.exact(mib))
                + ",node="
                + nodes()
                + ",billing="
                + (json.has("billingRateMilli")
                        ? json.number("billingRateMilli") / 1000
                        : json.number("cpus"))
                + (gpus == 0 ? "" : ",gres/gpu=" + gpus)
                + (part == null ? "" : "," + part.text("tres") + "=" + part.number("amount"))
                + gresTres();
    }

    /// Its part of a shared GPU; null if it wants none.
    @Nullable JsonObject part() {
        return json.has("gpuPart") ? json.object("gpuPart") : null;
    }

    /// Where it runs, or in parentheses why it does not, by the rule of `squeue`.
    String nodesOrReason() {
        boolean explained =
                is(JobState.PENDING)
                        || is(JobState.TIMEOUT)
                        || is(JobState.OUT_OF_MEMORY)
                        || is(JobState.DEADLINE)
                        || is(JobState.FAILED);
        return explained ? "(" + reason() + ")" : json.text("nodeList");
    }
}
