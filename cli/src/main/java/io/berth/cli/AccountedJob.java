package io.berth.cli;

import io.berth.slurm.SlurmMemory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A line of `sacct`: a job as accounting tells of it, or its batch step.
record AccountedJob(JsonObject json, boolean batchStep) {

    /// The job as it was in each of its runs that made way for another one, the earliest first:
    /// what Slurm calls duplicates.
    static List<AccountedJob> earlier(JsonObject job) {
        var earlier = new ArrayList<AccountedJob>();
        List<JsonObject> runs = job.objects("runs");
        for (int i = 0; i < runs.size(); i++) {
            JsonObject run = runs.get(i);
            boolean last = i + 1 == runs.size() && job.has("startedAt");
            if (!last && run.has("freedAt")) {
                earlier.add(new AccountedJob(inRun(job, run), false));
            }
        }
        return earlier;
    }

    private static JsonObject inRun(JsonObject job, JsonObject run) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(job.fields());
        String[] exit = run.text("exit").split(":");
        long held = run.number("freedAt") - run.number("placedAt");
        fields.put("state", run.text("outcome"));
        fields.put("reason", "None");
        fields.put("nodeList", run.text("nodeList"));
        fields.put("startedAt", run.number("placedAt"));
        fields.put("endedAt", run.number("freedAt"));
        fields.put("elapsedSeconds", held / 1000 - run.number("suspendedSeconds"));
        fields.put("suspendedSeconds", run.number("suspendedSeconds"));
        fields.put("exitCode", Long.parseLong(exit[0]));
        fields.put("signal", Long.parseLong(exit[1]));
        fields.put("charge", run.object("charge"));
        fields.put("runs", List.of(run));
        return new JsonObject(fields);
    }

    /// What the processes of the last run used.
    JsonObject used() {
        List<JsonObject> runs = json.objects("runs");
        return runs.isEmpty() ? JsonObject.EMPTY : runs.getLast().object("used");
    }

    /// The job as it is in its last run, charged for that alone.
    static AccountedJob latest(JsonObject job) {
        List<JsonObject> runs = job.objects("runs");
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(job.fields());
        fields.put(
                "charge",
                runs.isEmpty() || !job.has("startedAt")
                        ? JsonObject.EMPTY
                        : runs.getLast().object("charge"));
        return new AccountedJob(new JsonObject(fields), false);
    }

    /// For whom the last run had to give way, and how; empty if it had not.
    JsonObject preemption() {
        List<JsonObject> runs = json.objects("runs");
        return batchStep || runs.isEmpty() ? JsonObject.EMPTY : runs.getLast().object("preemption");
    }

    String text(String name) {
        return json.text(name);
    }

    long number(String name) {
        return json.number(name);
    }

    boolean started() {
        return json.has("startedAt");
    }

    long nodes() {
        return Math.max(1, json.number("nodes"));
    }

    /// Of a batch step those of the first node, where tasks without an even share go first.
    long cpus() {
        long cpus = json.number("cpus");
        long tasks = Math.max(1, json.number("tasks"));
        return batchStep ? Math.ceilDiv(tasks, nodes()) * (cpus / tasks) : cpus;
    }

    /// `CANCELLED by alice`
    String state() {
        String by = json.text("cancelledBy");
        return json.text("state")
                + (json.text("state").equals("CANCELLED") && !by.isEmpty() && !batchStep
                        ? " by " + by
                        : "");
    }

    String exit() {
        return json.number("exitCode") + ":" + json.number("signal");
    }

    /// `billing=8,cpu=8,gres/gpu=2,mem=16G,node=1`
    String tres() {
        long gpus = json.number("gpus");
        long mib = json.number("memoryMib");
        return "billing="
                + cpus()
                + ",cpu="
                + cpus()
                + (gpus == 0 ? "" : ",gres/gpu=" + gpus)
                + (mib == 0 ? "" : ",mem=" + SlurmMemory.exact(mib))
                + ",node="
                + (batchStep ? 1 : nodes());
    }
}
