import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/// The processor time that each part of a mesh takes, from the moment when this is made on: user and system, which says what work costs where a clock on the wall says how busy the machine is.
final class ProcessorTime {

    /// Linux' USER_HZ, the same on all its platforms of today.
    private static final double TICKS_PER_SECOND = 100;

    private final Map<String, Long> processes;
    private final Map<String, Long> before = new LinkedHashMap<>();

    ProcessorTime(RunningMesh mesh) throws IOException {
        processes = mesh.processes();
        for (var process : processes.entrySet()) {
            before.put(process.getKey(), ticks(process.getValue()));
        }
    }

    /// Seconds since the beginning, by part.
    Map<String, Double> seconds() throws IOException {
        var seconds = new LinkedHashMap<String, Double>();
        for (var process : processes.entrySet()) {
            seconds.put(process.getKey(), (ticks(process.getValue()) - before.get(process.getKey())) / TICKS_PER_SECOND);
        }
        return seconds;
    }

    /// Prints what each of so many jobs took.
    void print(int jobs) throws IOException {
        Map<String, Double> seconds = seconds();
        String parts = seconds.entrySet().stream()
                .map(it -> String.format(Locale.ROOT, "%s %.3f", it.getKey(), it.getValue() * 1000 / jobs))
                .collect(Collectors.joining(", "));
        double all = seconds.values().stream().mapToDouble(it -> it).sum();
        System.out.printf(Locale.ROOT, "processor time for each of %d jobs, in ms: %s; together %.3f%n", jobs, parts, all * 1000 / jobs);
    }

    /// Of the process and of the children that it has now, with those that they waited for.
    private static long ticks(long pid) throws IOException {
        String[] fields = Files.readString(Path.of("/proc/" + pid + "/stat")).replaceFirst(".*\\) ", "").split(" ");
        long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        return ticks + family(pid).map(ProcessorTime::ticksOrZero).sum();
    }

    private static long ticksOrZero(long pid) {
        try {
            return ticks(pid);
        } catch (IOException e) {
            return 0;
        }
    }

    /// Only PostgreSQL's children are its own: those of the supervisor are the other parts.
    static LongStream family(long pid) {
        return ProcessHandle.of(pid).filter(it -> it.info().command().orElse("").endsWith("postgres")).stream()
                .flatMap(ProcessHandle::children)
                .mapToLong(ProcessHandle::pid);
    }
}
