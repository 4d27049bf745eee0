package io.berth.standalone;

import io.berth.contracts.Allocation;
import io.berth.contracts.GpuShare;
import io.berth.contracts.Gres;
import io.berth.contracts.NodeName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What jobs hold of nodes, and where that is more than there is.
///
/// Things are held as this one or that one: a GPU whole or in parts up to the whole, a CPU by so
/// many jobs of a partition as it is told, a device file once. Of memory and other resources so
/// many are held as the node has, if that is known.
final class Holdings {

    static final String MEMORY = "memory";

    /// @param units of which a whole one has [GpuShare#WHOLE]
    record Thing(String name, boolean cpu, int units) {}

    private record Countable(NodeName node, String what) {}

    private record Holder(String partition, int units) {}

    private final Map<String, Map<Long, Holder>> holders = new HashMap<>();
    private final Map<String, Integer> together = new HashMap<>();
    private final Map<Countable, Long> most = new HashMap<>();
    private final Map<Countable, Long> counted = new HashMap<>();

    void together(String partition, int jobs) {
        together.put(partition, jobs);
    }

    void has(NodeName node, String what, long so) {
        most.put(new Countable(node, what), so);
    }

    static List<Thing> things(Allocation allocation) {
        var things = new ArrayList<Thing>();
        String node = allocation.node() + " ";
        GpuShare share = allocation.share();
        int units = share == null ? GpuShare.WHOLE : share.units();
        allocation.gpus().forEach(it -> things.add(new Thing(node + it, false, units)));
        allocation.gres().stream()
                .flatMap(it -> it.files().stream())
                .forEach(it -> things.add(new Thing(node + it, false, GpuShare.WHOLE)));
        allocation.cpus().toBitSet().stream()
                .forEach(it -> things.add(new Thing(node + "CPU " + it, true, GpuShare.WHOLE)));
        return things;
    }

    /// What is wrong with that, if anything.
    List<String> hold(long job, String partition, Thing thing) {
        var others = holders.computeIfAbsent(thing.name(), _ -> new TreeMap<>());
        boolean fits = fits(partition, thing, others);
        List<String> names = others.keySet().stream().map(it -> "job " + it).toList();
        others.put(job, new Holder(partition, thing.units()));
        return fits ? List.of() : List.of("holds " + thing.name() + ", which is held by " + names);
    }

    private boolean fits(String partition, Thing thing, Map<Long, Holder> others) {
        if (thing.cpu()) {
            return others.size() < together.getOrDefault(partition, 1)
                    && others.values().stream().allMatch(it -> it.partition().equals(partition));
        }
        long held = others.values().stream().mapToLong(Holder::units).sum();
        return held + thing.units() <= GpuShare.WHOLE;
    }

    void leave(long job, Thing thing) {
        holders.getOrDefault(thing.name(), new TreeMap<>()).remove(job);
    }

    /// Counts what is held of an allocation besides things; what is wrong with that.
    List<String> count(Allocation allocation) {
        var wrong = new ArrayList<String>();
        amounts(allocation)
                .forEach((what, so) -> {
                    long held = counted.merge(what, so, Long::sum);
                    if (held > most.getOrDefault(what, Long.MAX_VALUE)) {
                        wrong.add("holds %s of which %d are held".formatted(what, held));
                    }
                });
        return wrong;
    }

    void discount(Allocation allocation) {
        amounts(allocation).forEach((what, so) -> counted.merge(what, -so, Long::sum));
    }

    private static Map<Countable, Long> amounts(Allocation allocation) {
        var amounts = new HashMap<Countable, Long>();
        amounts.put(new Countable(allocation.node(), MEMORY), allocation.memoryMib());
        for (Gres it : allocation.gres()) {
            amounts.put(new Countable(allocation.node(), it.kind()), it.count());
        }
        return amounts;
    }
}
