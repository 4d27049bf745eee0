package io.berth.slurm;

import io.berth.contracts.Gres;
import io.berth.contracts.IndexSet;
import io.berth.slurm.SlurmConf.Line;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a file in the form of Slurm's gres.conf says of one node. Lines on parts of GPUs are passed
/// over.
///
/// Source: gres.conf(5). Of what is no GPU, the keys that place it beside CPUs change nothing.
///
/// @param others resources other than GPUs, one of a name and type
/// @param gpus lines on GPUs, in their order
/// @param detected whether GPUs are given out that no line names, where there are no lines on GPUs:
///   all but on a node for which `AutoDetect=off` is said
public record GresConf(List<Gres> others, List<GpuLine> gpus, boolean detected) {

    /// Of a node of which no file says anything.
    public static final GresConf NONE = new GresConf(List.of(), List.of(), true);

    private static final Set<String> PARTS_OF_GPUS = Set.of("mps", "shard");
    private static final Set<String> DETECTIONS =
            Set.of("nvidia", "nvml", "rsmi", "oneapi", "nrt", "off");
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

    /// A line on GPUs.
    ///
    /// @param place the file, the line's number and its text, for messages
    /// @param type what these GPUs are called, in small letters; where there are no files, what the
    ///   types that are found must have in them
    /// @param files device files of those that it speaks of; empty for any that no other line names
    /// @param count how many it speaks of; 0 is not said
    /// @param cores the machine's cores beside them, as Slurm numbers them: socket by socket; null
    ///   is not said
    /// @param links of its one GPU to each of the node's, in their order: -1 is itself; empty is
    ///   not said
    public record GpuLine(
            String place,
            @Nullable String type,
            List<String> files,
            long count,
            @Nullable IndexSet cores,
            List<Integer> links) {}

    public GresConf {
        others = List.copyOf(others);
        gpus = List.copyOf(gpus);
    }

    /// @param node the node's name
    /// @throws IllegalArgumentException naming the file, the line and what is allowed
    public static GresConf of(SlurmConf file, String node) {
        var reading = new Reading();
        for (Line line : file.lines()) {
            String place = "%s:%d: %s".formatted(file.name(), line.number(), line.text());
            try {
                if (speaksOf(line, node)) {
                    reading.add(line, place);
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(place + ": " + e.getMessage(), e);
            }
        }
        return reading.done();
    }

    /// What the lines said so far.
    private static final class Reading {

        private final TreeMap<String, Gres> others = new TreeMap<>();
        private final List<GpuLine> gpus = new ArrayList<>();
        private final Set<String> files = new HashSet<>();
        private @Nullable Boolean detected;
        private boolean ofNode;

        void add(Line line, String place) {
            String name = line.value("name", "").toLowerCase(Locale.ROOT);
            if (PARTS_OF_GPUS.contains(name)) {
                return;
            }
            onlyKnown(line);
            detect(line);
            if (name.equals("gpu")) {
                GpuLine gpu = gpu(line, place);
                for (String file : gpu.files()) {
                    if (!files.add(file)) {
                        throw new IllegalArgumentException(file + " is named twice");
                    }
                }
                gpus.add(gpu);
            } else if (!name.isEmpty()) {
                Gres gres = gres(line, name);
                others.merge(gres.kind(), gres, GresConf::both);
            }
        }

        /// What is said for the node outranks what is said for all.
        private void detect(Line line) {
            String word = line.value("autodetect", "").toLowerCase(Locale.ROOT);
            boolean here = line.values().containsKey("nodename");
            if (word.isEmpty()) {
                return;
            }
            if (!DETECTIONS.contains(word)) {
                throw new IllegalArgumentException(
                        "AutoDetect=" + word + " is none of " + DETECTIONS);
            }
            if (here || !ofNode) {
                detected = !word.equals("off");
                ofNode = here;
            }
        }

        GresConf done() {
            return new GresConf(
                    new ArrayList<>(others.values()), gpus, detected == null || detected);
        }
    }

    private static boolean speaksOf(Line line, String node) {
        String nodes = line.value("nodename", "");
        return nodes.isEmpty() || HostList.expand(nodes).contains(node);
    }

    private static void onlyKnown(Line line) {
        for (String key : line.values().keySet()) {
            if (key.equals("multiplefiles") && line.value("name", "").equalsIgnoreCase("gpu")) {
                throw new IllegalArgumentException(
                        "instances of a GPU in MIG mode are found: name the GPU, by File");
            }
            if (!KNOWN.contains(key)) {
                throw new IllegalArgumentException(key + " is none of " + KNOWN);
            }
        }
    }

    private static Gres gres(Line line, String name) {
        List<String> files = files(line);
        long count = count(line);
        return new Gres(name, type(line), count > 0 ? count : Math.max(1, files.size()), files);
    }

    private static GpuLine gpu(Line line, String place) {
        String type = type(line);
        if (type != null && !Gres.isType(type)) {
            throw new IllegalArgumentException(
                    "Type=" + type + " is no type such as a100 or rtx_4090");
        }
        List<String> files = files(line);
        long count = count(line);
        if (!files.isEmpty() && count > 0 && count != files.size()) {
            throw new IllegalArgumentException(
                    "Count=%d is not that of its %d files".formatted(count, files.size()));
        }
        List<Integer> links = links(line);
        if (!links.isEmpty() && files.size() != 1) {
            throw new IllegalArgumentException("a line with Links names one GPU, by File");
        }
        return new GpuLine(place, type, files, count, cores(line), links);
    }

    private static @Nullable String type(Line line) {
        String type = line.value("type", "").toLowerCase(Locale.ROOT);
        return type.isEmpty() ? null : type;
    }

    private static List<String> files(Line line) {
        String file = line.value("file", "");
        return file.isEmpty() ? List.of() : HostList.expand(file);
    }

    /// 0 if it is not said.
    private static long count(Line line) {
        String count = line.value("count", "");
        OptionalLong given = count.isEmpty() ? OptionalLong.of(0) : Counts.withUnit(count);
        if (given.isEmpty() || (given.getAsLong() == 0 && !count.isEmpty())) {
            throw new IllegalArgumentException("'" + count + "' is no count such as 4 or 2K");
        }
        return given.getAsLong();
    }

    private static @Nullable IndexSet cores(Line line) {
        String cores = line.value("cores", line.value("coreids", line.value("cpus", "")));
        return cores.isEmpty() ? null : IndexSet.parse(cores.replaceAll("[\\[\\]]", ""));
    }

    private static List<Integer> links(Line line) {
        String links = line.value("links", "");
        if (links.isEmpty()) {
            return List.of();
        }
        if (!links.matches("(-1|[0-9]{1,3})(,(-1|[0-9]{1,3}))*")) {
            throw new IllegalArgumentException(
                    "Links=" + links + " is no list of counts such as -1,16,16,16");
        }
        return Arrays.stream(links.split(",", -1)).map(Integer::valueOf).toList();
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
