package io.berth.contracts.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.berth.contracts.Added;
import io.berth.contracts.Gpu;
import io.berth.contracts.NodeHold;
import io.berth.contracts.NodeName;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Everything that placement knows of a node besides what jobs hold on it: its record in
/// `node-states`.
///
/// @param epoch granted by the last Sync
/// @param number of the last order in that epoch
/// @param seen the registration that the epoch answers
/// @param hold null if no operator keeps work off it
/// @param features that operators gave it; null is none
/// @param divisions what was ordered of GPUs in MIG mode, one for each
/// @param weight that an operator gave it; null is as the configuration says
public record NodeStatus(
        NodeName node,
        long epoch,
        long number,
        Presence presence,
        NodeSeen seen,
        @Nullable NodeHold hold,
        @Nullable List<String> features,
        @Added @JsonInclude(Include.NON_EMPTY) List<Division> divisions,
        @Nullable Integer weight) {

    public enum Presence {
        /// Heard from within the last 10 seconds.
        UP,
        /// Silent for a while: no new work, the old goes on.
        SILENT,
        /// Silent for longer than `node-timeout`.
        DOWN,
        /// Its agent shut down and took its runs with it: no work until it registers again.
        LEFT,
        /// Silent for so long that it has ended its runs by itself, see [NodeSeen#fenceSeconds]: no
        /// work until it registers again.
        FENCED
    }

    public NodeStatus {
        features = features == null ? null : List.copyOf(features);
        divisions = divisions == null ? List.of() : List.copyOf(divisions);
    }

    /// A node of the configuration's weight, of which no GPU was ordered to be divided.
    public NodeStatus(
            NodeName node,
            long epoch,
            long number,
            Presence presence,
            NodeSeen seen,
            @Nullable NodeHold hold,
            @Nullable List<String> features) {
        this(node, epoch, number, presence, seen, hold, features, List.of(), null);
    }

    /// A node of which operators have said nothing.
    public NodeStatus(NodeName node, long epoch, long number, Presence presence, NodeSeen seen) {
        this(node, epoch, number, presence, seen, null, null);
    }

    /// Whether it may get work.
    public boolean open() {
        return presence == Presence.UP && hold == null;
    }

    /// What `--constraint` may ask of it: what operators gave it, its GPUs' types, its profile and
    /// its architecture.
    public NavigableSet<String> allFeatures() {
        var all = new TreeSet<String>();
        if (features != null) {
            all.addAll(features);
        }
        seen.inventory().gpus().stream().map(Gpu::type).forEach(all::add);
        if (seen.inventory().profile() != null) {
            all.add(seen.inventory().profile());
        }
        all.add(seen.inventory().architecture());
        return all;
    }

    public NodeStatus numbered(long last) {
        return new NodeStatus(node, epoch, last, presence, seen, hold, features, divisions, weight);
    }

    public NodeStatus heard(Presence now) {
        return new NodeStatus(node, epoch, number, now, seen, hold, features, divisions, weight);
    }

    /// The node in a new epoch, which answers that registration.
    public NodeStatus registered(long newEpoch, NodeSeen registration) {
        return new NodeStatus(
                node, newEpoch, 0, Presence.UP, registration, hold, features, divisions, weight);
    }

    public NodeStatus held(@Nullable NodeHold by) {
        return new NodeStatus(node, epoch, number, presence, seen, by, features, divisions, weight);
    }

    public NodeStatus featured(List<String> given) {
        return new NodeStatus(node, epoch, number, presence, seen, hold, given, divisions, weight);
    }

    public NodeStatus weighing(int given) {
        return new NodeStatus(
                node, epoch, number, presence, seen, hold, features, divisions, given);
    }

    /// After a GPU was ordered to be divided.
    public NodeStatus divided(Division division) {
        var all = new ArrayList<Division>();
        divisions.stream().filter(it -> !it.gpu().equals(division.gpu())).forEach(all::add);
        all.add(division);
        return divided(all);
    }

    public NodeStatus divided(List<Division> all) {
        return new NodeStatus(node, epoch, number, presence, seen, hold, features, all, weight);
    }

    /// What was last ordered of a GPU; null if nothing was.
    public @Nullable Division division(String gpu) {
        return divisions.stream().filter(it -> it.gpu().equals(gpu)).findFirst().orElse(null);
    }

    /// Its GPUs but the instances of those that are being divided: nobody is given them.
    public List<Gpu> usableGpus() {
        List<Gpu> gpus = seen.inventory().gpus();
        return divisions.isEmpty() ? gpus : gpus.stream().filter(gpu -> !dividing(gpu)).toList();
    }

    /// Whether the GPU that this one is an instance of is being divided.
    public boolean dividing(Gpu instance) {
        String parent = divisions.isEmpty() ? null : instance.parent();
        Division division = parent == null ? null : division(parent);
        return division != null && division.inProgress();
    }
}
