package io.berth.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A node as `sinfo --json` tells of it: times are epoch seconds, sizes MiB. What Berth has no
/// notion of is told as Slurm tells it of a node that does not use it.
final class SinfoJson {

    private static final List<String> EMPTY =
            List.of("burstbuffer_network_address", "comment", "extra", "mcs_label");

    private SinfoJson() {}

    static Map<String, @Nullable Object> fields(NodeView node) {
        var json = new LinkedHashMap<String, @Nullable Object>();
        json.put("name", node.name());
        json.put("hostname", node.name());
        json.put("address", node.name());
        json.put("state", node.state().base().full());
        json.put(
                "state_flags",
                node.state().flag().isEmpty() ? List.of() : List.of("NOT_RESPONDING"));
        json.put("reason", node.reason());
        json.put("reason_set_by_user", SlurmData.orNull(node.text("reasonUser")));
        json.put("reason_changed_at", node.number("reasonAt") / 1000);
        json.put("architecture", node.text("architecture"));
        json.put("operating_system", node.text("os"));
        json.put("sockets", node.number("sockets"));
        json.put("cores", node.number("coresPerSocket"));
        json.put("threads", node.number("threadsPerCore"));
        json.put("cpus", node.number("cpus"));
        json.put("alloc_cpus", node.number("cpusAllocated"));
        json.put("idle_cpus", node.number("cpus") - node.number("cpusAllocated"));
        json.put("cpu_load", node.number("loadPercent"));
        json.put("real_memory", node.number("memoryMib"));
        json.put("free_memory", node.freeMemoryMib());
        json.put("temporary_disk", node.number("tmpMib"));
        json.put("slurmd_version", node.text("agentVersion"));
        json.put("owner", SlurmData.orNull(node.text("owner")));
        json.put("alloc_memory", node.number("memoryAllocatedMib"));
        json.put("features", String.join(",", node.json().texts("features")));
        json.put("active_features", String.join(",", node.json().texts("features")));
        json.put("weight", node.json().has("weight") ? node.number("weight") : 1);
        json.put("gres", node.gres());
        json.put("gres_used", node.gresUsed());
        json.put("partitions", node.json().texts("partitions"));
        json.put("tres", node.configuredTres());
        json.put("tres_used", node.allocatedTres());
        EMPTY.forEach(it -> json.put(it, ""));
        json.put("boards", 1);
        json.put("cpu_binding", 0);
        json.put("gres_drained", "N/A");
        json.put("berth", node.json());
        return json;
    }
}
