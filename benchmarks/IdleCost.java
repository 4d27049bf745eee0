import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.stream.LongStream;

/// Measures what a mesh that is up costs: processor time over a while, in percent of one core, and memory (proportional set size, with what was swapped out or not).
///
/// `java benchmarks/IdleCost.java [seconds]`, default 60. Leave the mesh alone meanwhile.
class IdleCost {

    /// Linux' USER_HZ, the same on all its platforms of today.
    private static final double TICKS_PER_SECOND = 100;

    public static void main(String[] arguments) throws Exception {
        int seconds = arguments.length == 0 ? 60 : Integer.parseInt(arguments[0]);
        var processes = new LinkedHashMap<>(MeshUnderTest.find().processes());
        var before = new LinkedHashMap<String, Long>();
        for (var process : processes.entrySet()) {
            before.put(process.getKey(), ticks(process.getValue()));
        }
        Thread.sleep(seconds * 1000L);
        double allPercent = 0;
        long allMib = 0;
        for (var process : processes.entrySet()) {
            double percent = (ticks(process.getValue()) - before.get(process.getKey())) / TICKS_PER_SECOND / seconds * 100;
            long mib = mib(process.getValue());
            allPercent += percent;
            allMib += mib;
            System.out.printf("%-12s %5.2f %% of a core   %5d MiB%n", process.getKey(), percent, mib);
        }
        System.out.printf("%-12s %5.2f %% of a core   %5d MiB%n", "together", allPercent, allMib);
    }

    /// Of the process and of the children that it has now, with those that they waited for.
    private static long ticks(long pid) throws IOException {
        String[] fields = Files.readString(Path.of("/proc/" + pid + "/stat")).replaceFirst(".*\\) ", "").split(" ");
        long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        return ticks + family(pid).map(IdleCost::ticksOrZero).sum();
    }

    private static long ticksOrZero(long pid) {
        try {
            return ticks(pid);
        } catch (IOException e) {
            return 0;
        }
    }

    private static long mib(long pid) throws IOException {
        long kib = pss(pid) + family(pid).map(IdleCost::pss).sum();
        return kib / 1024;
    }

    /// Only PostgreSQL's children are its own: those of the supervisor are the other parts.
    private static LongStream family(long pid) {
        return ProcessHandle.of(pid).filter(it -> it.info().command().orElse("").endsWith("postgres")).stream()
                .flatMap(ProcessHandle::children)
                .mapToLong(ProcessHandle::pid);
    }

    private static long pss(long pid) {
        try (var lines = Files.lines(Path.of("/proc/" + pid + "/smaps_rollup"))) {
            return lines.filter(line -> line.startsWith("Pss:")).mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).sum();
        } catch (IOException | java.io.UncheckedIOException e) {
            return 0;
        }
    }
}
