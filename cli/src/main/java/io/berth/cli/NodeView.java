package io.berth.cli;

import io.berth.contracts.IndexSet;
import io.berth.slurm.SlurmMemory;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A node as the gateway tells of it.
record NodeView(JsonObject json) {

    static List<NodeView> all(JsonObject answer) {
        return answer.objects("nodes").stream().map(NodeView::new).toList();
    }

    String name() {
        return json.text("name");
    }

    String text(String name) {
        return json.text(name);
    }

    long number(String name) {
        return json.number(name);
    }

    NodeState state() {
        return NodeState.of(
                json.text("state"),
                json.flag("responding"),
                json.number("cpusAllocated"),
                json.number("cpus"));
    }

    /// `a100,nvme`, or `(null)`.
    String features() {
        List<String> features = json.texts("features");
        return features.isEmpty() ? "(null)" : String.join(",", features);
    }

    String reason() {
        return json.text("reason");
    }

    /// The type that most requests name: the type of the first GPU.
    private String gpuType() {
        List<JsonObject> gpus = json.objects("gpus");
        return gpus.isEmpty() ? "" : gpus.getFirst().text("type");
    }

    long gpus() {
        return json.objects("gpus").size();
    }

    /// `gpu:a100:8`, with `(simulated)` if the GPUs are only declared; `(null)` without GPUs.
    String gres() {
        return gpus() == 0
                ? "(null)"
                : "gpu:"
                        + gpuType()
                        + ":"
                        + gpus()
                        + (json.flag("simulated") ? "(simulated)" : "")
                        + parts("parts", ",", ":");
    }

    /// How many parts of shared GPUs there are, or are held: `,mps:200`; empty where none is
    /// shared.
    private String parts(String count, String before, String between) {
        Map<String, Long> sums = new TreeMap<>();
        for (JsonObject gpu : json.objects("gpus")) {
            if (gpu.has("shared")) {
                sums.merge(gpu.text("shared"), gpu.number(count), Long::sum);
            }
        }
        var text = new StringBuilder();
        sums.forEach((name, sum) -> text.append(before).append(name).append(between).append(sum));
        return text.toString();
    }

    /// `gpu:a100:3(IDX:0-2)`
    String gresUsed() {
        var indices = new BitSet();
        for (JsonObject gpu : json.objects("gpus")) {
            if (gpu.has("job")) {
                indices.set((int) gpu.number("index"));
            }
        }
        String list = IndexSet.of(indices).toString();
        return gpus() == 0
                ? "(null)"
                : "gpu:"
                        + gpuType()
                        + ":"
                        + indices.cardinality()
                        + "(IDX:"
                        + (list.isEmpty() ? "N/A" : list)
                        + ")"
                        + parts("partsHeld", ",", ":");
    }

    /// `2:64:1`: sockets, cores per socket, threads per core.
    String shape() {
        return Math.max(1, json.number("sockets"))
                + ":"
                + Math.max(1, json.number("coresPerSocket"))
                + ":"
                + Math.max(1, json.number("threadsPerCore"));
    }

    String configuredTres() {
        return "cpu="
                + json.number("cpus")
                + ",mem="
                + SlurmMemory.rounded(json.number("memoryMib"))
                + ",billing="
                + json.number("cpus")
                + (gpus() == 0 ? "" : ",gres/gpu=" + gpus())
                + parts("parts", ",gres/", "=");
    }

    /// Empty if nothing is allocated.
    String allocatedTres() {
        long cpus = json.number("cpusAllocated");
        long gpus = json.number("gpusAllocated");
        return cpus == 0 && gpus == 0
                ? ""
                : "cpu="
                        + cpus
                        + ",mem="
                        + SlurmMemory.rounded(json.number("memoryAllocatedMib"))
                        + (gpus == 0 ? "" : ",gres/gpu=" + gpus)
                        + parts("partsHeld", ",gres/", "=");
    }
}
