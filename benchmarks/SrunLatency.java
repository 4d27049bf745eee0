import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Measures, on a mesh that is up and idle, what somebody at a prompt waits for: from calling `srun` until its program begins and until the prompt is back, and for comparison from `squeue` until then.
///
/// `java benchmarks/SrunLatency.java [rounds [pause]]`, from the checkout, default 30 and 300 ms, with BERTH_HOME and BERTH_PORT_BASE as for `berth up`. The first tenth warms up and is not counted.
class SrunLatency {

    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length == 0 ? 30 : Integer.parseInt(arguments[0]);
        long pause = arguments.length < 2 ? 300 : Long.parseLong(arguments[1]);
        var begun = new double[rounds];
        var back = new double[rounds];
        var squeue = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            long called = epochNanos();
            String first = run("srun", "date", "+%s%N");
            back[i] = (epochNanos() - called) / 1e6;
            begun[i] = (Long.parseLong(first.strip()) - called) / 1e6;
            Thread.sleep(pause);
            called = epochNanos();
            run("squeue");
            squeue[i] = (epochNanos() - called) / 1e6;
            Thread.sleep(pause);
        }
        print("srun, the program begins", begun);
        print("srun, the prompt is back", back);
        print("squeue", squeue);
    }

    private static String run(String... words) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("./berth"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        if (code != 0) {
            throw new IOException(command + " ended with " + code);
        }
        return output;
    }

    private static long epochNanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    private static void print(String what, double[] millis) {
        RunningMesh.print(what, Arrays.copyOfRange(millis, millis.length / 10, millis.length));
    }
}
