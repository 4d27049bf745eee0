import static io.berth.core.testing.TestCell.gpus;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.ResourceRequest;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.Fact;
import io.berth.core.testing.TestCell;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/// What it costs to say why a job waits, with all its counterfactuals: processor time of one thread, on nodes of 8 GPUs that are all full.
///
/// java -cp "contracts/target/classes:scheduling-core/target/classes:scheduling-core/target/test-classes:simulator/target/lib/*" benchmarks/ExplainCost.java [NODES [WAITING]]
public class ExplainCost {

    private static final int WARM_UP = 200;
    private static final int COUNTED = 1_000;

    public static void main(String[] arguments) {
        int nodes = arguments.length == 0 ? 10_000 : Integer.parseInt(arguments[0]);
        int waiting = arguments.length < 2 ? 5_000 : Integer.parseInt(arguments[1]);
        var cell = new TestCell();
        var random = new Random(7);
        for (int i = 0; i < nodes; i++) {
            cell.node("n%05d".formatted(i), 64, 8, i % 4 == 0 ? "h100" : "a100");
        }
        var placement = new Placement(cell.state, Settings.DEFAULT);
        long id = 0;
        int run = -1;
        while (cell.state.pending().size() < waiting || run < cell.state.holding().size()) {
            run = cell.state.holding().size();
            for (int i = 0; i < 1_000; i++) {
                cell.submit(++id, job(random)).forEach(placement::note);
            }
            for (Fact fact : Engine.place(cell.state, placement, cell.now, Pass.START)) {
                cell.state.replay(fact);
                placement.note(fact);
            }
        }
        List<JobId> jobs = cell.state.pending().stream().limit(WARM_UP + COUNTED).toList();
        var threads = ManagementFactory.getThreadMXBean();
        var millis = new double[COUNTED];
        int changes = 0;
        for (int i = 0; i < WARM_UP + COUNTED; i++) {
            long before = threads.getCurrentThreadCpuTime();
            var verdict = placement.explain(jobs.get(i % jobs.size()), cell.now).orElseThrow();
            if (i >= WARM_UP) {
                millis[i - WARM_UP] = (threads.getCurrentThreadCpuTime() - before) / 1e6;
                changes += verdict.changes().size();
            }
        }
        Arrays.sort(millis);
        System.out.printf(
                Locale.ROOT,
                "%d nodes, %d jobs run, %d wait: explained in p50 %.2f, p99 %.2f, at most %.2f ms, with %.1f changes that would help%n",
                nodes,
                cell.state.holding().size(),
                cell.state.pending().size(),
                millis[COUNTED / 2],
                millis[COUNTED * 99 / 100],
                millis[COUNTED - 1],
                (double) changes / COUNTED);
    }

    private static JobDescription job(Random random) {
        int parts = random.nextInt(10) == 0 ? 2 + random.nextInt(15) : 1;
        String type = random.nextInt(3) == 0 ? null : random.nextInt(3) == 0 ? "h100" : "a100";
        ResourceRequest request = gpus(parts, 1 << random.nextInt(4), type);
        long seconds = 600L * (1 + random.nextInt(6));
        return new JobDescription("alice", "team", "batch", "normal", "job", request, LaunchMode.BATCH, seconds, 0, true);
    }
}
