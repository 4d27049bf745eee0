package io.berth.slurm;

import io.berth.contracts.Gres;
import io.berth.slurm.SlurmConf.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a file in the form of Slurm's gres.conf says of a node's resources other than GPUs. Lines
/// on GPUs and their parts are passed over: what there is of them its driver tells.
///
/// Source: gres.conf(5). Of its keys those that place resources beside CPUs change nothing.
public final class GresConf {

    private static final Set<String> OF_GPUS = Set.of("gpu", "mps", "shard");
    private static final Set<String> KNOWN =
            Set.of(
                    "name",
                    "nodename",
                    "type",
                    "count",
                    "file",
                    "cores",
                    "cpus",
                    "coreids",
                    "links",
                    "flags",
                    "autodetect");

    private GresConf() {}

    /// @param node the node's name
    /// @return one of a name and type
    /// @throws IllegalArgumentException naming the file, the line and what is allowed
    public static List<Gres> of(SlurmConf file, String node) {
        var found = new TreeMap<String, Gres>();
        for (Line line : file.lines()) {
            String name = line.value("name", "").toLowerCase(Locale.ROOT);
            try {
                if (!name.isEmpty() && !OF_GPUS.contains(name) && speaksOf(line, node)) {
                    Gres gres = gres(line, name);
                    found.merge(gres.kind(), gres, GresConf::both);
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "%s:%d: %s: %s"
                                .formatted(file.name(), line.number(), line.text(), e.getMessage()),
                        e);
            }
        }
        return new ArrayList<>(found.values());
    }

    private static boolean speaksOf(Line line, String node) {
        String nodes = line.value("nodename", "");
        return nodes.isEmpty() || HostList.expand(nodes).contains(node);
    }

    private static Gres gres(Line line, String name) {
        for (String key : line.values().keySet()) {
            if (!KNOWN.contains(key)) {
                throw new IllegalArgumentException(key + " is none of " + KNOWN);
            }
        }
        String type = line.value("type", "").toLowerCase(Locale.ROOT);
        String file = line.value("file", "");
        List<String> files = file.isEmpty() ? List.of() : HostList.expand(file);
        String count = line.value("count", "");
        OptionalLong given =
                count.isEmpty()
                        ? OptionalLong.of(Math.max(1, files.size()))
                        : Counts.withUnit(count);
        if (given.isEmpty()) {
            throw new IllegalArgumentException("'" + count + "' is no count such as 4 or 2K");
        }
        return new Gres(name, orNull(type), given.getAsLong(), files);
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    private static Gres both(Gres one, Gres other) {
        if (one.files().isEmpty() != other.files().isEmpty()) {
            throw new IllegalArgumentException(
                    one.kind() + " has device files in one line and none in another");
        }
        var files = new ArrayList<>(one.files());
        files.addAll(other.files());
        return new Gres(one.name(), one.type(), one.count() + other.count(), files);
    }
}
