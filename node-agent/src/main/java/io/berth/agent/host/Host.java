package io.berth.agent.host;

import io.berth.contracts.IndexSet;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

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

    private static final String STATUS = "/proc/self/status";
    private static final String MEMORY = "/proc/meminfo";
    private static final String LOAD = "/proc/loadavg";
    private static final String HOST_NAME = "/proc/sys/kernel/hostname";
    private static final String RELEASE = "/etc/os-release";
    private static final String PRETTY_NAME = "PRETTY_NAME=";
    private static final String CPUS = "/sys/devices/system/cpu";
    private static final long MAX_RESERVE_MIB = 2048;

    public static Host read(SystemFiles files) throws IOException {
        IndexSet cpus = IndexSet.parse(field(files, STATUS, "Cpus_allowed_list"));
        Shape shape = Shape.of(files, cpus);
        return new Host(
                firstLabel(files),
                cpus,
                shape.sockets(),
                shape.coresPerSocket(),
                shape.threadsPerCore(),
                forJobs(memory(files, "MemTotal")),
                osName(files),
                System.getProperty("os.arch", "unknown"));
    }

    /// How some CPUs are spread: over so many sockets, with so many cores and threads at most.
    private record Shape(int sockets, int coresPerSocket, int threadsPerCore) {

        static Shape of(SystemFiles files, IndexSet cpus) {
            Map<String, Set<String>> cores = new HashMap<>();
            Map<String, Integer> threads = new HashMap<>();
            for (int cpu : cpus.toBitSet().stream().toArray()) {
                String topology = CPUS + "/cpu" + cpu + "/topology/";
                String socket = files.text(topology + "physical_package_id").orElse("0");
                String core = files.text(topology + "core_id").orElse(Integer.toString(cpu));
                cores.computeIfAbsent(socket, _ -> new HashSet<>()).add(core);
                threads.merge(socket + "/" + core, 1, Integer::sum);
            }
            return new Shape(
                    cores.size(),
                    cores.values().stream().mapToInt(Set::size).max().orElse(1),
                    Collections.max(threads.values()));
        }
    }

    /// The machine's RAM, in MiB.
    public static long machineMib() throws IOException {
        return memory(SystemFiles.HERE, "MemTotal");
    }

    /// The host less what is set aside for the system.
    ///
    /// @param reserved CPUs by the kernel's numbers, such as `0-1`
    /// @param reservedMib of the memory, in place of the usual reserve
    /// @throws StartRefused if that cannot be, or nothing would be left
    public Host without(SystemFiles files, Optional<String> reserved, OptionalLong reservedMib)
            throws IOException {
        BitSet left = cpus.toBitSet();
        reserved.ifPresent(list -> left.andNot(cpuList(list).toBitSet()));
        long memory =
                reservedMib.isPresent()
                        ? memory(files, "MemTotal") - reservedMib.getAsLong()
                        : memoryMib;
        if (left.isEmpty() || memory <= 0) {
            throw new StartRefused(
                    "berth.agent.reserved-cpus and reserved-memory leave %d CPUs and %d MiB for jobs"
                            .formatted(left.cardinality(), memory));
        }
        Shape shape =
                reserved.isEmpty()
                        ? new Shape(sockets, coresPerSocket, threadsPerCore)
                        : Shape.of(files, IndexSet.of(left));
        return new Host(
                name,
                IndexSet.of(left),
                shape.sockets(),
                shape.coresPerSocket(),
                shape.threadsPerCore(),
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
        String average = Files.readString(Path.of(LOAD)).split(" ", 2)[0];
        return (int) Math.round(Double.parseDouble(average) * 100);
    }

    /// Memory in use, in MiB.
    public static long memoryUsedMib() throws IOException {
        return memory(SystemFiles.HERE, "MemTotal") - memory(SystemFiles.HERE, "MemAvailable");
    }

    static long forJobs(long totalMib) {
        return totalMib - Math.min(totalMib / 10, MAX_RESERVE_MIB);
    }

    private static long memory(SystemFiles files, String name) throws IOException {
        return Long.parseLong(field(files, MEMORY, name).replace("kB", "").strip()) / 1024;
    }

    private static String firstLabel(SystemFiles files) throws IOException {
        String name = files.text(HOST_NAME).orElse("");
        if (name.isEmpty()) {
            name = InetAddress.getLocalHost().getHostName();
        }
        return name.split("\\.", 2)[0];
    }

    private static String osName(SystemFiles files) {
        return files.lines(RELEASE).stream()
                .filter(line -> line.startsWith(PRETTY_NAME))
                .map(line -> line.substring(PRETTY_NAME.length()).replace("\"", ""))
                .findFirst()
                .orElseGet(() -> "Linux " + System.getProperty("os.version", ""));
    }

    private static String field(SystemFiles files, String path, String word) throws IOException {
        return files.field(path, word)
                .orElseThrow(() -> new IOException(path + " has no line " + word));
    }
}
