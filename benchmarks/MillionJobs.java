import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/// Writes a made-up trace for `berth sim run`: a million jobs (or as many as the second argument
/// says) for 1,250 nodes of 8 GPUs, at 95 % load (or the third argument's). The same in every run.
///
/// Run times are lognormal, 10 s to 7 days, 22 minutes at the median; seven jobs in ten want one
/// GPU, one in forty 16 to 64; limits are 1 to 10 times the run time.
///
///     java benchmarks/MillionJobs.java FOLDER [JOBS [LOAD]]
public final class MillionJobs {

    private static final int NODES = 1250;
    private static final int[] GPUS = {1, 2, 4, 8, 16, 32, 64};
    private static final double[] PARTS = {0.72, 0.08, 0.09, 0.085, 0.015, 0.007, 0.003};
    private static final double[] LIMITS = {1, 1.5, 2, 3, 5, 10};

    private MillionJobs() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        int jobs = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000_000;
        double load = arguments.length > 2 ? Double.parseDouble(arguments[2]) : 0.95;
        Files.createDirectories(folder);
        try (var out = new PrintWriter(Files.newBufferedWriter(folder.resolve("nodes.csv")))) {
            out.print("node_id,gpu_type,gpus\n");
            for (int node = 0; node < NODES; node++) {
                out.print("n%04d,H100,8\n".formatted(node));
            }
        }
        var random = new Random(1);
        long[] seconds = new long[jobs];
        int[] gpus = new int[jobs];
        double work = 0;
        for (int i = 0; i < jobs; i++) {
            double run = Math.exp(7.2 + 1.7 * random.nextGaussian());
            seconds[i] = (long) Math.clamp(run, 10, 7 * 86_400);
            gpus[i] = gpus(random.nextDouble());
            work += (double) seconds[i] * gpus[i];
        }
        double span = work / (NODES * 8 * load);
        double[] submitted = random.doubles(jobs, 0, span).sorted().toArray();
        Path trace = folder.resolve("jobs.csv.gz");
        try (var out =
                new PrintWriter(
                        new GZIPOutputStream(Files.newOutputStream(trace), 1 << 16),
                        false,
                        StandardCharsets.UTF_8)) {
            out.print("job_id,submit_s,duration_s,gpus,limit_s\n");
            for (int i = 0; i < jobs; i++) {
                long limit =
                        Math.max(60, (long) (seconds[i] * LIMITS[random.nextInt(LIMITS.length)]));
                out.print(i + "," + (long) submitted[i] + "," + seconds[i] + "," + gpus[i]);
                out.print("," + limit + "\n");
            }
        }
        System.out.println(
                trace + ": " + jobs + " jobs in " + (long) span + " s, " + Arrays.stream(gpus).sum()
                        + " GPUs asked for in sum");
    }

    private static int gpus(double draw) {
        double rest = draw;
        for (int i = 0; i < GPUS.length; i++) {
            rest -= PARTS[i];
            if (rest < 0) {
                return GPUS[i];
            }
        }
        return GPUS[0];
    }
}
