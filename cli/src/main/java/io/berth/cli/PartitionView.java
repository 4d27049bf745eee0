package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.slurm.SlurmTime;
import java.util.List;

/// A partition as the gateway tells of it.
record PartitionView(JsonObject json) {

    /// Stands for all partitions together; it has no name.
    static final PartitionView OF_ALL = new PartitionView(JsonObject.EMPTY);

    static List<PartitionView> all(JsonObject answer) {
        return answer.objects("partitions").stream().map(PartitionView::new).toList();
    }

    String name() {
        return json.text("name");
    }

    /// With a star if jobs go there that name no partition.
    String marked() {
        return name() + (json.flag("default") ? "*" : "");
    }

    long number(String name) {
        return json.number(name);
    }

    String state() {
        return json.has("state") ? json.text("state") : "UP";
    }

    /// `7-00:00:00` or `infinite`
    String briefTimeLimit() {
        long seconds = json.number("maxTimeSeconds");
        return seconds == 0 ? "infinite" : SlurmTime.brief(seconds);
    }

    /// Of jobs that name none; `n/a` if they get the longest.
    String defaultTime() {
        long seconds = json.number("defaultTimeSeconds");
        return seconds == 0 ? "n/a" : SlurmTime.brief(seconds);
    }

    /// `1-infinite`, `1-4`, `1`: the nodes that one job may have.
    String jobSize() {
        long most = json.number("maxNodes");
        return most == 1 ? "1" : "1-" + (most == 0 ? "infinite" : most);
    }

    /// Whether jobs share its nodes and their CPUs, in Slurm's words: `FORCE:4`.
    String overSubscribe() {
        return json.flag("exclusive")
                ? "EXCLUSIVE"
                : json.has("overSubscribe") ? json.text("overSubscribe") : "NO";
    }

    /// Of whose members it takes jobs.
    String groups() {
        List<String> groups = json.texts("allowGroups");
        return groups.isEmpty() ? "all" : String.join(",", groups);
    }
}
