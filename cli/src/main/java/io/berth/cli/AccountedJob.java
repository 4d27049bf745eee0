package io.berth.cli;

import io.berth.slurm.SlurmMemory;

/// A line of `sacct`: a job as accounting tells of it, or its batch step.
record AccountedJob(JsonObject json, boolean batchStep) {

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
