package io.berth.core.testing;

import io.berth.contracts.Inventory;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.MigProfile;
import io.berth.contracts.event.NodeSeen;
import io.berth.core.mig.Divided;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A node with whole GPUs and GPUs in MIG mode, as its agent registers it.
public final class MigNode {

    private MigNode() {}

    /// A registration with GPUs in MIG mode, H100, beside the whole ones.
    ///
    /// @param splits what each is split into, by UUID, in the order of the machine's slots
    /// @param mark what tells instances from those that the GPUs had before
    /// @param failure why the last division failed; null if none did
    public static NodeSeen seen(
            NodeSeen plain,
            Map<String, List<MigPlacement>> splits,
            String mark,
            @Nullable String failure) {
        Inventory inventory = plain.inventory();
        int whole = inventory.gpus().size();
        var mig = new ArrayList<MigGpu>();
        splits.forEach((uuid, _) ->
                mig.add(
                        new MigGpu(
                                whole + mig.size(),
                                uuid,
                                "h100",
                                MigTables.H100_80,
                                List.of(),
                                null)));
        inventory = inventory.withGpus(inventory.gpus(), mig);
        for (var split : splits.entrySet()) {
            inventory =
                    Divided.inventory(inventory, split.getKey(), split.getValue(), mark)
                            .withMig(split.getKey(), it -> it.split(it.instances(), failure));
        }
        return new NodeSeen(
                plain.node(),
                plain.nonce(),
                plain.machineId(),
                plain.bootId(),
                plain.agentVersion(),
                inventory,
                plain.runs(),
                plain.reportsEnd());
    }

    /// Instances of the H100's table: `1g.10gb@0 3g.40gb@4`.
    public static List<MigPlacement> geometry(String words) {
        return words.isEmpty()
                ? List.of()
                : List.of(words.split(" ")).stream().map(MigNode::place).toList();
    }

    private static MigPlacement place(String word) {
        String[] parts = word.split("@");
        MigProfile profile =
                MigTables.H100_80.stream()
                        .filter(it -> it.name().equals(parts[0]))
                        .findFirst()
                        .orElseThrow();
        return profile.at(Integer.parseInt(parts[1]));
    }
}
