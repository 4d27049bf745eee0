/// Measures what a mesh that is up costs: processor time over a while, in percent of one core, and memory (proportional set size, with what was swapped out or not).
///
/// `java benchmarks/IdleCost.java [seconds]`, default 60. Leave the mesh alone meanwhile.
class IdleCost {

    public static void main(String[] arguments) throws Exception {
        int seconds = arguments.length == 0 ? 60 : Integer.parseInt(arguments[0]);
        var mesh = RunningMesh.find();
        var processes = mesh.processes();
        var time = new ProcessorTime(mesh);
        Thread.sleep(seconds * 1000L);
        var taken = time.seconds();
        double allPercent = 0;
        long allMib = 0;
        for (var process : processes.entrySet()) {
            double percent = taken.get(process.getKey()) / seconds * 100;
            long mib = MeshMemory.mib(process.getValue());
            allPercent += percent;
            allMib += mib;
            System.out.printf("%-12s %5.2f %% of a core   %5d MiB%n", process.getKey(), percent, mib);
        }
        System.out.printf("%-12s %5.2f %% of a core   %5d MiB%n", "together", allPercent, allMib);
    }
}
