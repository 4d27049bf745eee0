package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.contracts.IndexSet;
import io.berth.slurm.SlurmMemory;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

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

    /// Nodes of a lower one are taken first.
    String weight() {
        return json.has("weight") ? Long.toString(json.number("weight")) : "1";
    }

    /// What its processes leave, whatever jobs hold.
    long freeMemoryMib() {
        return Math.max(0, json.number("memoryMib") - json.number("memoryUsedMib"));
    }

    String reason() {
        return json.text("reason");
    }

    /// The GPUs by type, in the order in which the node has them.
    private Map<String, List<JsonObject>> gpusByType() {
        return json.objects("gpus").stream()
                .collect(
                        Collectors.groupingBy(
                                gpu -> gpu.text("type"), LinkedHashMap::new, Collectors.toList()));
    }

    /// What the GPUs in MIG mode are split into, by their places in PCI order:
    /// `1:2x3g.40gb,2:1x7g.80gb->7x1g.10gb`; empty if there are none.
    String mig() {
        return json.objects("mig").stream()
                .map(gpu ->
                        gpu.number("gpu")
                                + ":"
                                + gpu.text("geometry")
                                + (gpu.has("dividing") ? "->" + gpu.text("dividing") : ""))
                .collect(Collectors.joining(","));
    }

    /// Why GPUs in MIG mode could not be divided: `GPU 1: in use`; empty if nothing failed.
    String migFailures() {
        return json.objects("mig").stream()
                .filter(gpu -> gpu.has("failure"))
                .map(gpu -> "GPU " + gpu.number("gpu") + ": " + gpu.text("failure"))
                .collect(Collectors.joining("; "));
    }

    long gpus() {
        return json.objects("gpus").size();
    }

    /// `gpu:a100:8,nic:2`, with `(simulated)` if the GPUs are only declared; several types with
    /// commas; `(null)` without any.
    String gres() {
        String simulated = json.flag("simulated") ? "(simulated)" : "";
        String gpus =
                gpusByType().entrySet().stream()
                        .map(it -> "gpu:" + it.getKey() + ":" + it.getValue().size())
                        .map(it -> it + simulated)
                        .collect(Collectors.joining(","));
        return orNone(gpus + parts("parts", ",", ":") + others("count", ",", ":"));
    }

    /// The list without a comma before its first item; `(null)` if it has none.
    private static String orNone(String list) {
        return list.isEmpty() ? "(null)" : list.startsWith(",") ? list.substring(1) : list;
    }

    /// How much there is, or is held, of other resources than GPUs: `,nic:2`.
    private String others(String count, String before, String between) {
        var text = new StringBuilder();
        for (JsonObject gres : json.objects("gres")) {
            if (gres.number(count) == 0 && before.contains("/")) {
                continue; // Of what is counted as a trackable resource none is not told.
            }
            text.append(before).append(gres.text("name"));
            text.append(gres.has("type") ? ":" + gres.text("type") : "");
            text.append(between).append(gres.number(count));
        }
        return text.toString();
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

    /// `gpu:a100:3(IDX:0-2),nic:1`, with `(simulated)` as [#gres]; several types with commas.
    String gresUsed() {
        String simulated = json.flag("simulated") ? "(simulated)" : "";
        String gpus =
                gpusByType().entrySet().stream()
                        .map(it -> "gpu:" + it.getKey() + ":" + used(it.getValue()) + simulated)
                        .collect(Collectors.joining(","));
        return orNone(gpus + parts("partsHeld", ",", ":") + others("held", ",", ":"));
    }

    private static String used(List<JsonObject> gpus) {
        var indices = new BitSet();
        gpus.stream()
                .filter(gpu -> gpu.has("job") || gpu.flag("held"))
                .forEach(gpu -> indices.set((int) gpu.number("index")));
        String list = IndexSet.of(indices).toString();
        return indices.cardinality() + "(IDX:" + (list.isEmpty() ? "N/A" : list) + ")";
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
                + parts("parts", ",gres/", "=")
                + others("count", ",gres/", "=");
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
                        + parts("partsHeld", ",gres/", "=")
                        + others("held", ",gres/", "=");
    }
}
