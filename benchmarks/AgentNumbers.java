import io.berth.agent.group.DeviceRules;
import io.berth.agent.group.Group;
import io.berth.agent.group.Groups;
import io.berth.agent.group.HostGroups;
import io.berth.agent.group.Limits;
import io.berth.agent.nvml.Nvml;
import io.berth.agent.nvml.NvmlSensors;
import io.berth.contracts.Hardware.Health;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// Measures what an agent does beside launching: how long it takes to sample all GPUs of a machine, and to kill a fork bomb that has reached the most processes that a run may have.
///
/// `java -cp "node-agent/target/quarkus-app/app/*:node-agent/target/quarkus-app/lib/main/*" benchmarks/AgentNumbers.java [LIBRARY]`, where LIBRARY is the driver's `libnvidia-ml.so.1`, or the one of the tests (`cc -shared -fPIC -o DIR/libnvidia-ml.so.1 node-agent/src/test/resources/io/berth/agent/nvml/stub.c -ldl`, with a file `topology` beside it). Root is needed for the groups.
class AgentNumbers {

    private static final int SAMPLES = 1000;
    private static final int PROCESSES = 1000;
    private static final int BOMBS = 9;

    public static void main(String[] arguments) throws Exception {
        System.out.println("load " + Files.readString(Path.of("/proc/loadavg")).split(" ")[0]);
        telemetry(arguments.length == 0 ? Nvml.LIBRARY : arguments[0]);
        forkBomb();
    }

    private static void telemetry(String library) throws Exception {
        var found = NvmlSensors.open(library);
        if (found.isEmpty()) {
            System.out.println("telemetry: no " + library);
            return;
        }
        try (NvmlSensors sensors = found.get()) {
            var took = new double[SAMPLES];
            int samples = 0;
            for (int i = -SAMPLES / 10; i < SAMPLES; i++) {
                long before = System.nanoTime();
                samples = 0;
                for (String uuid : sensors.uuids()) {
                    samples += sensors.read(uuid, Health.HEALTHY).size();
                }
                took[Math.max(0, i)] = (System.nanoTime() - before) / 1e6;
            }
            report("telemetry of %d GPUs".formatted(samples), took);
        }
    }

    private static void forkBomb() throws Exception {
        Groups groups = HostGroups.find("berth-numbers");
        var node = new NodeName("numbers");
        var took = new double[BOMBS];
        for (int i = 0; i < BOMBS; i++) {
            var run = new RunId(new JobId(i + 1), 1);
            Group group = groups.create(node, run, new Limits(IndexSet.EMPTY, 4096, PROCESSES, DeviceRules.read().allowing(List.of())));
            var script = new StringBuilder();
            for (Path entrance : group.entrances()) {
                script.append("echo 0 >").append(entrance).append(" || exit 1\n");
            }
            script.append("exec perl -e 'fork while 1'\n");
            new ProcessBuilder("setsid", "sh", "-c", script.toString()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            while (group.members().size() < PROCESSES * 9 / 10) {
                Thread.sleep(5);
            }
            long before = System.nanoTime();
            while (!group.members().isEmpty()) {
                group.kill();
            }
            took[i] = (System.nanoTime() - before) / 1e6;
            group.remove();
        }
        groups.removeEmptyParents(node);
        report("fork bomb of %d processes, from the first KILL until the group is empty, %s".formatted(PROCESSES, groups.description()), took);
    }

    private static void report(String what, double[] took) {
        Arrays.sort(took);
        System.out.printf("%s: p50 %.2f ms, p99 %.2f ms, worst %.2f ms of %d%n", what, took[took.length / 2], took[took.length * 99 / 100], took[took.length - 1], took.length);
    }
}
