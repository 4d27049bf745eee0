package io.berth.slurm;

import io.berth.contracts.Gres;
import io.berth.contracts.IndexSet;
import io.berth.slurm.SlurmConf.Line;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a file in the form of Slurm's gres.conf says of one node. Lines on parts of GPUs are passed
/// over.
///
/// Source: gres.conf(5), with the flags of Slurm 24.05. Of what is no GPU, the keys that place it
/// beside CPUs change nothing.
///
/// @param others resources other than GPUs, one of a name and type
/// @param gpus lines on GPUs, in their order
/// @param detected whether GPUs are given out that no line names, where there are no lines on GPUs:
///   all but on a node for which `AutoDetect=off` is said
/// @param besides of what has several device files (`MultipleFiles`) and is no GPU, those beside
///   its first, by which [Gres#files] names it
/// @param unheeded what is said and means nothing here, in one line each
public record GresConf(
        List<Gres> others,
        List<GpuLine> gpus,
        boolean detected,
        Map<String, List<String>> besides,
        List<String> unheeded) {

    /// Of a node of which no file says anything.
    public static final GresConf NONE =
            new GresConf(List.of(), List.of(), true, Map.of(), List.of());

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
                    "multiplefiles",
                    "cores",
                    "cpus",
                    "coreids",
                    "links",
                    "flags",
                    "autodetect");

    /// The variables that tell a program its GPUs, by the flag that has them set.
    private static final Map<String, List<String>> VARIABLES =
            Map.of(
                    "nvidia_gpu_env",
                    List.of("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"),
                    "amd_gpu_env",
                    List.of("ROCR_VISIBLE_DEVICES"));

    private static final String MULTIPLE = "multiplefiles";
    private static final String NO_VARIABLES = "no_gpu_env";

    /// Flags that have nothing behind them here, and why.
    private static final Map<String, String> UNHEEDED =
            new TreeMap<>(
                    Map.of(
                            "opencl_env",
                            "GPU_DEVICE_ORDINAL is not set",
                            "intel_gpu_env",
                            "Intel's GPUs are not found, and ZE_AFFINITY_MASK is not set",
                            "explicit",
                            "a job that has its nodes to itself has all of them",
                            "all_sharing",
                            "a job's part is of one GPU"));

    /// Flags that say what is so anyhow.
    private static final Set<String> SO_ANYHOW = Set.of("countonly", "one_sharing");

    private static final Pattern GPU_FILE =
            Pattern.compile("/dev/(nvidia[0-9]+|dri/renderD[0-9]+)");
    private static final Pattern CAPABILITY =
            Pattern.compile("/dev/nvidia-caps/nvidia-cap([0-9]{1,6})");

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
    /// @param capabilities minors of the capabilities of the MIG instance of its one GPU that it
    ///   speaks of; empty is the whole GPU
    /// @param besides device files that go with its one GPU
    /// @param variables that tell a program these GPUs; null is not said
    public record GpuLine(
            String place,
            @Nullable String type,
            List<String> files,
            long count,
            @Nullable IndexSet cores,
            List<Integer> links,
            IndexSet capabilities,
            List<String> besides,
            @Nullable List<String> variables) {

        private GpuLine with(@Nullable List<String> others) {
            return new GpuLine(
                    place, type, files, count, cores, links, capabilities, besides, others);
        }
    }

    public GresConf {
        others = List.copyOf(others);
        gpus = List.copyOf(gpus);
        besides = Map.copyOf(besides);
        unheeded = List.copyOf(unheeded);
    }

    /// All device files of the resource, no GPU, that this one names.
    public List<String> filesOf(String first) {
        return Stream.concat(Stream.of(first), besides.getOrDefault(first, List.of()).stream())
                .toList();
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
        private final Map<String, List<String>> besides = new HashMap<>();
        private final List<String> unheeded = new ArrayList<>();
        private @Nullable Boolean detected;
        private boolean ofNode;

        void add(Line line, String place) {
            String name = line.value("name", "").toLowerCase(Locale.ROOT);
            Set<String> flags = flags(line);
            UNHEEDED.forEach((flag, why) -> {
                if (flags.contains(flag)) {
                    unheeded.add("%s: Flags=%s: %s".formatted(place, flag, why));
                }
            });
            if (PARTS_OF_GPUS.contains(name)) {
                return;
            }
            onlyKnown(line);
            detect(line);
            if (name.equals("gpu")) {
                add(gpu(line, place), variables(flags));
            } else if (!name.isEmpty()) {
                Gres gres = gres(line, name);
                List<String> together = files(line, MULTIPLE);
                if (!together.isEmpty()) {
                    besides.put(together.getFirst(), together.subList(1, together.size()));
                }
                others.merge(gres.kind(), gres, GresConf::both);
            }
        }

        /// @param said null is as in the line before, if that is on GPUs of the same type
        private void add(GpuLine line, @Nullable List<String> said) {
            for (String file : line.files()) {
                if (!files.add(file + " " + line.capabilities())) {
                    throw new IllegalArgumentException(file + " is named twice");
                }
            }
            boolean goesOn = !gpus.isEmpty() && Objects.equals(gpus.getLast().type(), line.type());
            gpus.add(line.with(said == null && goesOn ? gpus.getLast().variables() : said));
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
                    new ArrayList<>(others.values()),
                    gpus,
                    detected == null || detected,
                    besides,
                    unheeded);
        }
    }

    private static boolean speaksOf(Line line, String node) {
        String nodes = line.value("nodename", "");
        return nodes.isEmpty() || HostList.expand(nodes).contains(node);
    }

    private static void onlyKnown(Line line) {
        for (String key : line.values().keySet()) {
            if (!KNOWN.contains(key)) {
                throw new IllegalArgumentException(key + " is none of " + KNOWN);
            }
        }
    }

    private static Set<String> flags(Line line) {
        String text = line.value("flags", "").toLowerCase(Locale.ROOT);
        Set<String> flags = text.isEmpty() ? Set.of() : new TreeSet<>(List.of(text.split(",")));
        var known = new TreeSet<>(SO_ANYHOW);
        known.addAll(UNHEEDED.keySet());
        known.addAll(VARIABLES.keySet());
        known.add(NO_VARIABLES);
        for (String flag : flags) {
            if (!known.contains(flag)) {
                throw new IllegalArgumentException("Flags=" + flag + " is none of " + known);
            }
        }
        return flags;
    }

    /// What flags say of the variables that tell a program its GPUs; null is nothing.
    private static @Nullable List<String> variables(Set<String> flags) {
        List<String> set =
                flags.stream()
                        .filter(VARIABLES::containsKey)
                        .flatMap(it -> VARIABLES.getOrDefault(it, List.of()).stream())
                        .sorted()
                        .toList();
        boolean none = flags.contains(NO_VARIABLES);
        if (none
                && flags.stream().anyMatch(it -> it.endsWith("_env") && !it.equals(NO_VARIABLES))) {
            throw new IllegalArgumentException(
                    "Flags=%s is with none of %s".formatted(NO_VARIABLES, VARIABLES.keySet()));
        }
        return none || !set.isEmpty() ? set : null;
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
        List<String> together = files(line, MULTIPLE);
        var capabilities = new BitSet();
        var besides = new ArrayList<String>();
        for (String file : together) {
            Matcher capability = CAPABILITY.matcher(file);
            if (capability.matches()) {
                capabilities.set(Integer.parseInt(capability.group(1)));
            } else if (!GPU_FILE.matcher(file).matches()) {
                besides.add(file);
            }
        }
        List<String> files =
                together.isEmpty()
                        ? files(line)
                        : together.stream().filter(it -> GPU_FILE.matcher(it).matches()).toList();
        if (!together.isEmpty() && files.size() != 1) {
            throw new IllegalArgumentException(
                    "MultipleFiles are those of one GPU: one of them is such as /dev/nvidia0 or /dev/dri/renderD128");
        }
        long count = count(line);
        if (!files.isEmpty() && count > 0 && count != files.size()) {
            throw new IllegalArgumentException(
                    "Count=%d is not that of its %d files".formatted(count, files.size()));
        }
        List<Integer> links = links(line);
        if (!links.isEmpty() && files.size() != 1) {
            throw new IllegalArgumentException("a line with Links names one GPU, by File");
        }
        return new GpuLine(
                place,
                type,
                files,
                count,
                cores(line),
                links,
                IndexSet.of(capabilities),
                List.copyOf(besides),
                null);
    }

    private static @Nullable String type(Line line) {
        String type = line.value("type", "").toLowerCase(Locale.ROOT);
        return type.isEmpty() ? null : type;
    }

    /// The device file of each that a line speaks of: of what has several, the first.
    private static List<String> files(Line line) {
        List<String> together = files(line, MULTIPLE);
        List<String> files = files(line, "file");
        if (!together.isEmpty() && !files.isEmpty()) {
            throw new IllegalArgumentException(
                    "File is the device of each, MultipleFiles are those of one: a line has one of the two");
        }
        return together.isEmpty() ? files : List.of(together.getFirst());
    }

    private static List<String> files(Line line, String key) {
        String file = line.value(key, "");
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
