import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import io.berth.agent.group.DeviceRules;
import io.berth.agent.group.Group;
import io.berth.agent.group.Groups;
import io.berth.agent.group.HostGroups;
import io.berth.agent.host.FoundGpus;
import io.berth.agent.host.Host;
import io.berth.agent.host.LocalNode;
import io.berth.agent.host.SystemFiles;
import io.berth.agent.launch.Accounts;
import io.berth.agent.launch.Commands;
import io.berth.agent.launch.Containers;
import io.berth.agent.launch.Hooks;
import io.berth.agent.launch.Launcher;
import io.berth.agent.launch.Mps;
import io.berth.agent.launch.ProbeDevices;
import io.berth.agent.launch.RunFiles;
import io.berth.agent.launch.Shims;
import io.berth.agent.launch.SpoolWatch;
import io.berth.contracts.Allocation;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Hardware;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.log.trace.Spans;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Order.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Measures, with the agent's own launcher and without a log, how long it takes from an order to the first line of the script: order on the disk, group with limits, shim, task in its group, isolation verified, word given. One launch after the other. Then counts what is left behind. It sets favordynmods, as the agent does: that stays until the next boot.
///
/// `java -cp "node-agent/target/quarkus-app/app/*:node-agent/target/quarkus-app/lib/main/*" benchmarks/LaunchLatency.java [launches [user]]`, default 1000 for each kind of shim. The first tenth warms up and is not counted. With a user, scripts run under that one's account, as with `berth.agent.run-as=user`.
class LaunchLatency {

    private static final String PARENT = "berth-launches";

    public static void main(String[] arguments) throws Exception {
        int launches = arguments.length == 0 ? 1000 : Integer.parseInt(arguments[0]);
        String user = arguments.length < 2 ? "" : arguments[1];
        Path home = Files.createTempDirectory("berth-launches").toRealPath();
        Path work = Files.createDirectory(home.resolve("work"));
        if (!user.isEmpty()) {
            Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx--x--x"));
            Files.setOwner(work, home.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user));
        }
        System.out.println("groups: " + HostGroups.find(PARENT).description() + ", load " + Files.readString(Path.of("/proc/loadavg")).split(" ")[0]);
        for (Shims.Kind kind : Shims.Kind.values()) {
            measure(home, kind, launches, user);
        }
        try (Stream<Path> all = Files.walk(home)) {
            for (Path each : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(each);
            }
        }
    }

    private static void measure(Path home, Shims.Kind kind, int launches, String user) throws Exception {
        LocalNode node = LocalNode.host(Host.read(SystemFiles.HERE), "launches", FoundGpus.NONE, new Hardware(List.of(), List.of(), 0, List.of(), List.of()));
        Groups groups = HostGroups.find(PARENT);
        groups.favorMoves().ifPresent(why -> System.out.println("favordynmods not set: " + why));
        DeviceRules.Source rules = DeviceRules::read;
        var commands = new Commands();
        Shims best = Shims.install(home, commands);
        Shims shims = kind == best.kind() ? best : Shims.install(home, commands, kind);
        if (kind == Shims.Kind.PROGRAM && best.kind() != kind) {
            System.out.println(kind + ": not compiled here");
            return;
        }
        long filesBefore = openFiles();
        long programsBefore = bpfPrograms();
        var took = new double[launches];
        long used = 0;
        try (shims; var watch = new SpoolWatch()) {
            var hooks = new Hooks(Optional.empty(), Optional.empty(), commands);
            var launcher = new Launcher(groups, rules, ProbeDevices.make(home, rules.now(), List.of()), shims, watch, _ -> spec(home.resolve("work"), user), hooks, "berth", 1000, true, user.isEmpty() ? Accounts.Own.ofThisProcess() : new Accounts.OfUsers(commands, true), Mps.NONE, new Containers(Optional.empty(), List.of(), commands), Spans.NONE);
            Path runs = Files.createDirectories(home.resolve("nodes/launches/runs"));
            for (int i = 0; i < launches; i++) {
                used = i == launches / 10 ? ticks() : used;
                took[i] = launch(launcher, node, runs, new RunId(new JobId(i + 1), 1), home.resolve("work/mark"));
            }
        }
        groups.removeEmptyParents(node.name());
        report(kind, Arrays.copyOfRange(took, launches / 10, launches));
        System.out.printf("  of processor time, %s shims and scripts: %.1f ms for each%n", kind == Shims.Kind.PROGRAM ? "without" : "with", (ticks() - used) * 10.0 / (launches - launches / 10));
        System.out.printf("  left behind: %d runs' folders, %d groups, %d processes, %d open files, %d BPF programs%n", count(home.resolve("nodes/launches/runs")), groupsLeft(), processesLeft(), openFiles() - filesBefore, bpfPrograms() - programsBefore);
    }

    /// Milliseconds from the order to the script's own clock.
    private static double launch(Launcher launcher, LocalNode node, Path runs, RunId run, Path mark) throws Exception {
        var here = new Allocation(node.name(), 0, 1, IndexSet.firstN(1), 64, List.of());
        var order = new Launch(node.name(), 1, 1, run, new SpecReference(0, 0, ""), LaunchMode.BATCH, false, List.of(here), 0);
        Files.deleteIfExists(mark);
        long before = epochNanos();
        RunFiles files = RunFiles.of(runs, run);
        files.store("intent", order);
        Group group = launcher.prepare(node, order, files).group();
        files.awaitStored();
        files.release();
        while (!files.has("exit")) {
            Thread.sleep(1);
        }
        double took = (Long.parseLong(Files.readString(mark).strip()) - before) / 1e6;
        while (!group.members().isEmpty()) {
            group.kill();
        }
        group.remove();
        files.remove();
        return took;
    }

    private static JobSpec spec(Path work, String user) {
        var request = new ResourceRequest(1, 1, 1, MemoryRequest.perNode(64), GpuRequest.NONE);
        var job = new JobDescription(user.isEmpty() ? "user" : user, "account", "batch", "normal", "launch", request, LaunchMode.BATCH, 0, 0, true);
        return new JobSpec(new JobId(1), job, "#!/bin/sh\nexec date +%s%N\n", List.of(), Map.of(), work.toString(), "mark", null, null, false, "here");
    }

    private static void report(Shims.Kind kind, double[] took) {
        Arrays.sort(took);
        System.out.printf("%s: order to first line, %d launches: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms%n", kind, took.length, took[took.length / 2], took[took.length * 9 / 10], took[took.length * 99 / 100]);
    }

    /// Hundredths of a second of processor time that this process has taken, and the programs that it called.
    private static long ticks() throws IOException {
        String[] fields = Files.readString(Path.of("/proc/self/stat")).replaceFirst(".*\\) ", "").split(" ");
        return Arrays.stream(fields, 11, 15).mapToLong(Long::parseLong).sum();
    }

    private static long openFiles() throws IOException {
        System.gc();
        return count(Path.of("/proc/self/fd"));
    }

    private static long count(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.count();
        }
    }

    private static long groupsLeft() throws IOException {
        long left = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/mounts"))) {
            String[] fields = line.split(" ");
            left += fields[2].startsWith("cgroup") && Files.exists(Path.of(fields[1], PARENT)) ? 1 : 0;
        }
        return left;
    }

    /// How many programs the kernel holds: bpf(2), BPF_PROG_GET_NEXT_ID (11), which answers ENOENT after the last.
    private static long bpfPrograms() {
        Function syscall = NativeLibrary.getProcess().getFunction("syscall");
        long number = System.getProperty("os.arch").equals("aarch64") ? 280 : 321;
        var attribute = new Memory(16);
        attribute.clear();
        long programs = 0;
        while (syscall.invokeLong(new Object[] {number, 11L, attribute, 16L}) == 0) {
            attribute.setInt(0, attribute.getInt(4));
            programs++;
        }
        return programs;
    }

    private static long processesLeft() {
        return ProcessHandle.current().descendants().filter(ProcessHandle::isAlive).count();
    }

    private static long epochNanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }
}
