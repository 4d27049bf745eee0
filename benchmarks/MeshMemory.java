import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/// Tells the memory of a mesh over a while, beside whatever loads it: the most that each part and all together have had (proportional set size), and what they have at the end.
///
/// `java benchmarks/MeshMemory.java [seconds]`, default 60. All processes are looked at every two seconds, which costs some hundredths of a core.
class MeshMemory {

    private static final int EVERY_SECONDS = 2;

    public static void main(String[] arguments) throws Exception {
        int seconds = arguments.length == 0 ? 60 : Integer.parseInt(arguments[0]);
        var mesh = RunningMesh.find();
        var most = new LinkedHashMap<String, Long>();
        Map<String, Long> now = mib(mesh);
        for (int passed = 0; passed < seconds; passed += EVERY_SECONDS) {
            Thread.sleep(EVERY_SECONDS * 1000L);
            now = mib(mesh);
            now.forEach((part, mib) -> most.merge(part, mib, Math::max));
        }
        for (var part : now.entrySet()) {
            System.out.printf("%-12s %5d MiB, at most %5d MiB%n", part.getKey(), part.getValue(), most.get(part.getKey()));
        }
    }

    /// Of each part, and together.
    private static Map<String, Long> mib(RunningMesh mesh) throws IOException {
        var mib = new LinkedHashMap<String, Long>();
        mesh.processes().forEach((part, pid) -> mib.put(part, mib(pid)));
        mib.put("together", mib.values().stream().mapToLong(it -> it).sum());
        return mib;
    }

    /// Of a process, and of those of its children that are its own part.
    static long mib(long pid) {
        return (kib(pid) + ProcessorTime.family(pid).map(MeshMemory::kib).sum()) / 1024;
    }

    private static long kib(long pid) {
        try (var lines = Files.lines(Path.of("/proc/" + pid + "/smaps_rollup"))) {
            return lines.filter(line -> line.startsWith("Pss:")).mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).sum();
        } catch (IOException | java.io.UncheckedIOException e) {
            return 0;
        }
    }
}
