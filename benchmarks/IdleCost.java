import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Measures what a mesh that is up costs: processor time over a while, in percent of one core, memory (proportional set size, with what was swapped out or not), how often its threads are switched to and from in a second, and which threads most often.
///
/// `java benchmarks/IdleCost.java [seconds]`, default 60. Leave the mesh alone meanwhile.
class IdleCost {

    private static final int BUSIEST = 15;

    /// What a thread has had so far.
    ///
    /// @param switches voluntary or not
    /// @param nanos on a processor
    private record Use(String process, String thread, long switches, long nanos) {

        Use since(Use before) {
            return new Use(process, thread, switches - before.switches, nanos - before.nanos);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int seconds = arguments.length == 0 ? 60 : Integer.parseInt(arguments[0]);
        var mesh = RunningMesh.find();
        var processes = mesh.processes();
        var time = new ProcessorTime(mesh);
        Map<Path, Use> before = threads(processes);
        Thread.sleep(seconds * 1000L);
        var taken = time.seconds();
        Map<Path, Use> threads = threads(processes);
        threads.keySet().retainAll(before.keySet());
        threads.replaceAll((thread, use) -> use.since(before.get(thread)));
        double allPercent = 0;
        double allSwitches = 0;
        long allMib = 0;
        for (var process : processes.entrySet()) {
            double percent = taken.get(process.getKey()) / seconds * 100;
            double switches = threads.values().stream().filter(it -> it.process.equals(process.getKey())).mapToDouble(Use::switches).sum() / seconds;
            long mib = MeshMemory.mib(process.getValue());
            allPercent += percent;
            allSwitches += switches;
            allMib += mib;
            print(process.getKey(), percent, mib, switches);
        }
        print("together", allPercent, allMib, allSwitches);
        threads.values().stream()
                .sorted(Comparator.comparing(Use::switches).reversed())
                .limit(BUSIEST)
                .forEach(it -> System.out.printf("%7.1f switches/s %5.2f %%   %s %s%n", (double) it.switches / seconds, it.nanos / 1e7 / seconds, it.process, it.thread));
    }

    private static void print(String name, double percent, long mib, double switches) {
        System.out.printf("%-12s %5.2f %% of a core   %5d MiB   %5.1f switches/s%n", name, percent, mib, switches);
    }

    /// Of the processes and of PostgreSQL's own.
    private static Map<Path, Use> threads(Map<String, Long> processes) throws IOException {
        var threads = new TreeMap<Path, Use>();
        for (var process : processes.entrySet()) {
            for (long pid : Stream.concat(Stream.of(process.getValue()), ProcessorTime.family(process.getValue()).boxed()).toList()) {
                try (var tasks = Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
                    for (Path task : tasks) {
                        threads.put(task, use(process.getKey(), task));
                    }
                } catch (IOException e) {
                    // It has ended.
                }
            }
        }
        return threads;
    }

    private static Use use(String process, Path task) throws IOException {
        long switches = Files.readAllLines(task.resolve("status")).stream().filter(it -> it.contains("ctxt_switches")).mapToLong(it -> Long.parseLong(it.replaceAll("\\D", ""))).sum();
        long nanos = Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0]);
        return new Use(process, Files.readString(task.resolve("comm")).strip(), switches, nanos);
    }
}
