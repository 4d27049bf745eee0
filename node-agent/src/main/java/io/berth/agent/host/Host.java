package io.berth.agent.host;

import io.berth.contracts.IndexSet;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// The machine as the kernel tells it.
///
/// @param name the host name's first label
/// @param cpus the ids of the CPUs that this process may use
/// @param memoryMib what jobs may have: all but a reserve of 10 %, at most 2 GiB, for the system
public record Host(
        String name,
        IndexSet cpus,
        int sockets,
        int coresPerSocket,
        int threadsPerCore,
        long memoryMib,
        String os,
        String architecture) {

    private static final Path PROC = Path.of("/proc");
    private static final Path CPUS = Path.of("/sys/devices/system/cpu");
    private static final long MAX_RESERVE_MIB = 2048;

    public static Host read() throws IOException {
        IndexSet cpus = IndexSet.parse(field(PROC.resolve("self/status"), "Cpus_allowed_list:"));
        var packages = new HashSet<String>();
        var cores = new HashSet<String>();
        for (int cpu : cpus.toBitSet().stream().toArray()) {
            Path topology = CPUS.resolve("cpu" + cpu + "/topology");
            String socket = line(topology.resolve("physical_package_id"), "0");
            packages.add(socket);
            cores.add(socket + "/" + line(topology.resolve("core_id"), Integer.toString(cpu)));
        }
        return new Host(
                firstLabel(),
                cpus,
                packages.size(),
                Math.max(1, cores.size() / packages.size()),
                Math.max(1, cpus.size() / cores.size()),
                forJobs(machineMib()),
                osName(),
                System.getProperty("os.arch", "unknown"));
    }

    /// The machine's RAM, in MiB.
    public static long machineMib() throws IOException {
        return memory("MemTotal:");
    }

    /// The host less what is set aside for the system.
    ///
    /// @param reserved CPUs by the kernel's numbers, such as `0-1`
    /// @param reservedMib of the memory, in place of the usual reserve
    /// @throws StartRefused if that cannot be, or nothing would be left
    public Host without(Optional<String> reserved, OptionalLong reservedMib) throws IOException {
        BitSet left = cpus.toBitSet();
        reserved.ifPresent(list -> left.andNot(cpuList(list).toBitSet()));
        long memory = reservedMib.isPresent() ? machineMib() - reservedMib.getAsLong() : memoryMib;
        if (left.isEmpty() || memory <= 0) {
            throw new StartRefused(
                    "berth.agent.reserved-cpus and reserved-memory leave %d CPUs and %d MiB for jobs"
                            .formatted(left.cardinality(), memory));
        }
        return new Host(
                name,
                IndexSet.of(left),
                sockets,
                coresPerSocket,
                threadsPerCore,
                memory,
                os,
                architecture);
    }

    private static IndexSet cpuList(String list) {
        try {
            return IndexSet.parse(list);
        } catch (IllegalArgumentException e) {
            throw new StartRefused(
                    "berth.agent.reserved-cpus is '" + list + "', which is no list such as 0-1,8");
        }
    }

    /// Of some of the machine's CPUs those that this process may use, by their places among them:
    /// as a node numbers its CPUs.
    public IndexSet cpusHere(BitSet machines) {
        int[] ids = cpus.toBitSet().stream().toArray();
        var places = new BitSet();
        for (int place = 0; place < ids.length; place++) {
            places.set(place, machines.get(ids[place]));
        }
        return IndexSet.of(places);
    }

    /// @param list the machine's CPUs as the kernel lists them
    public IndexSet cpusHere(String list) {
        return cpusHere(IndexSet.parse(list).toBitSet());
    }

    /// The 1-minute load average, in hundredths.
    public static int loadPercent() throws IOException {
        String average = Files.readString(PROC.resolve("loadavg")).split(" ", 2)[0];
        return (int) Math.round(Double.parseDouble(average) * 100);
    }

    /// Memory in use, in MiB.
    public static long memoryUsedMib() throws IOException {
        return memory("MemTotal:") - memory("MemAvailable:");
    }

    static long forJobs(long totalMib) {
        return totalMib - Math.min(totalMib / 10, MAX_RESERVE_MIB);
    }

    private static long memory(String name) throws IOException {
        String kib = field(PROC.resolve("meminfo"), name).replace("kB", "").strip();
        return Long.parseLong(kib) / 1024;
    }

    private static String firstLabel() throws IOException {
        String name = line(PROC.resolve("sys/kernel/hostname"), "");
        if (name.isEmpty()) {
            name = InetAddress.getLocalHost().getHostName();
        }
        return name.split("\\.", 2)[0];
    }

    private static String osName() throws IOException {
        Path release = Path.of("/etc/os-release");
        if (!Files.exists(release)) {
            return "Linux " + System.getProperty("os.version", "");
        }
        return field(release, "PRETTY_NAME=").replace("\"", "");
    }

    private static String line(Path file, String otherwise) throws IOException {
        return Files.exists(file) ? Files.readString(file).strip() : otherwise;
    }

    /// What follows that word at the beginning of a line.
    private static String field(Path file, String word) throws IOException {
        List<String> lines;
        try (Stream<String> all = Files.lines(file)) {
            lines = all.filter(line -> line.startsWith(word)).toList();
        }
        if (lines.isEmpty()) {
            throw new IOException(file + " has no line " + word);
        }
        return lines.getFirst().substring(word.length()).strip();
    }
}
