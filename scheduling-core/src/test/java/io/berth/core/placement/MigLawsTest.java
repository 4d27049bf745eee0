package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.HeldRun;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.MigGpus;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.Division;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.MigNode;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Nodes with two GPUs in MIG mode each, and a stream of jobs that want instances of all sizes, the
/// small ones by far the most, in no order but that of their submission.
final class MigLawsTest {

    private static final String[] PROFILES = {
        "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb", "7g.80gb"
    };
    private static final long COST = 15_000;
    private static final long HOLD = 60_000;
    private static final long LONGEST = 600_000;
    private static final long STEP = 5_000;
    private static final int NODES = 2;

    private final TestCell cell = new TestCell();
    private final Map<NodeName, TreeMap<String, List<MigPlacement>>> splits = new TreeMap<>();
    private final Map<NodeName, Integer> registrations = new HashMap<>();
    private final List<Order.Partition> orders = new ArrayList<>();
    private final TreeMap<JobId, Long> ends = new TreeMap<>();
    private Placement kept = new Placement(cell.state, Settings.DEFAULT);
    private Random random = new Random();
    private TreeSet<JobId> waited = new TreeSet<>();
    private boolean late;
    private int drained;
    private int looks;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void no_expected_start_is_put_off_nobody_waits_for_ever_and_all_engines_agree(long seed) {
        random = new Random(seed);
        late = seed % 3 == 0;
        configure();
        for (int node = 1; node <= NODES; node++) {
            var name = new NodeName("n" + node);
            of(name).put(name + "-A", MigNode.geometry("7g.80gb@0"));
            of(name).put(name + "-B", MigNode.geometry("1g.10gb@0 3g.40gb@4"));
            register(name);
        }
        int jobs = 0;
        for (int step = 0; step < 700; step++) {
            cell.now += STEP;
            if (step < 400 && random.nextInt(4) == 0) {
                jobs++;
                submit(jobs);
            }
            if (random.nextInt(100) == 0 && jobs > 0) {
                cancel(1 + random.nextInt(jobs));
            }
            boolean divided = divide();
            end();
            round(divided);
        }
        assertThat(ends).isEmpty();
        for (int job = 1; job <= jobs; job++) {
            assertThat(cell.job(job).state().terminal()).as("job %d is over", job).isTrue();
        }
        assertThat(drained).isPositive();
        assertThat(late || looks > 0).isTrue();
    }

    private void configure() {
        Configuration it = TestCell.configuration();
        var rule = new MigGpus(List.of("ALL"), null, null, COST / 1000, HOLD / 1000);
        cell.take(
                new Input.Configured(
                        new Configuration(
                                cell.state.configuration().orElseThrow().revision() + 1,
                                it.cluster().with(to -> to.migGpus = List.of(rule)),
                                it.partitions(),
                                it.accounts(),
                                it.associations(),
                                it.qos(),
                                it.reservations(),
                                it.switches(),
                                it.licenses())));
    }

    private void take(Input input) {
        replay(Engine.decide(cell.state, input, cell.now));
    }

    private void replay(List<Fact> facts) {
        for (Fact fact : facts) {
            cell.state.replay(fact);
            kept.note(fact);
        }
    }

    private TreeMap<String, List<MigPlacement>> of(NodeName node) {
        return splits.computeIfAbsent(node, _ -> new TreeMap<>());
    }

    private void register(NodeName node) {
        int mark = registrations.merge(node, 1, Integer::sum);
        var held = new ArrayList<HeldRun>();
        for (JobId job : cell.state.jobsOn(node)) {
            Run run = Objects.requireNonNull(cell.state.knownJob(job).run());
            held.add(new HeldRun(new RunId(job, run.lease()), HeldRun.Phase.RUNNING));
        }
        NodeSeen plain =
                TestCell.seen(node.value(), 12, 0, "a100", node + "-" + mark, "boot", held);
        take(new Input.Registered(MigNode.seen(plain, of(node), "it", null)));
    }

    private void submit(int id) {
        String profile = PROFILES[random.nextInt(PROFILES.length)];
        int count = random.nextInt(4) == 0 ? 2 : 1;
        int cpus = 1 + random.nextInt(2);
        var request =
                new ResourceRequest(
                        1, cpus, 1, MemoryRequest.perCpu(1024), new GpuRequest(count, profile));
        long limit = 60L * (1 + random.nextInt((int) (LONGEST / 60_000)));
        cell.submit(id, TestCell.job(request, limit)).forEach(kept::note);
    }

    private void cancel(int id) {
        if (cell.job(id).state() == JobState.PENDING) {
            cell.cancel(id).forEach(kept::note);
        }
    }

    /// What was ordered is done in time, or some time later.
    private boolean divide() {
        List<Order.Partition> now =
                orders.stream()
                        .filter(it -> late ? random.nextInt(6) == 0 : since(it) + COST <= cell.now)
                        .toList();
        orders.removeAll(now);
        for (Order.Partition order : now) {
            of(order.node()).put(order.gpu(), order.instances());
            register(order.node());
        }
        return !now.isEmpty();
    }

    private long since(Order.Partition order) {
        Division division = cell.state.node(order.node()).orElseThrow().division(order.gpu());
        return Objects.requireNonNull(division).since();
    }

    private void end() {
        for (JobId id : List.copyOf(ends.keySet())) {
            if (Objects.requireNonNull(ends.get(id)) <= cell.now) {
                ends.remove(id);
                long job = id.value();
                String node = node(job);
                cell.started(job, 1, node).forEach(kept::note);
                cell.ended(job, 1, node, Cause.EXITED, 0).forEach(kept::note);
            }
        }
    }

    private String node(long job) {
        Run run = Objects.requireNonNull(cell.job(job).run());
        return run.allocations().getFirst().node().value();
    }

    /// @param divided whether GPUs have other instances than in the last round
    private void round(boolean divided) {
        Map<JobId, Planned> before = planned();
        waited = new TreeSet<>(cell.state.pending());
        Pass pass = kept.stale() || divided ? Pass.PLAN : Pass.START;
        List<Fact> facts = Engine.place(cell.state, kept, cell.now, pass);
        var fresh = new Placement(cell.state, Settings.DEFAULT);
        assertThat(facts).isEqualTo(Engine.place(cell.state, fresh, cell.now, pass));
        replay(facts);
        assertThat(cell.state.heldTwice()).isEmpty();
        for (Order order : TestCell.orders(facts)) {
            if (order instanceof Order.Partition it) {
                assertThat(of(it.node())).containsKey(it.gpu());
                orders.add(it);
            } else if (order instanceof Order.Launch it) {
                long limit =
                        1000 * cell.state.knownJob(it.run().job()).description().timeLimitSeconds();
                long longest = limit + Scheduling.SLACK_MILLIS;
                ends.put(it.run().job(), cell.now + 1 + random.nextLong(longest - STEP));
            }
        }
        Map<JobId, Planned> after = planned();
        drained += after.values().stream().anyMatch(it -> !it.drains().isEmpty()) ? 1 : 0;
        if (!divided && !late) {
            before.forEach((job, plan) -> assertNotPutOff(job, plan, before, after));
        }
    }

    /// An expected start comes later only where somebody stands ahead who had none.
    private void assertNotPutOff(
            JobId job, Planned plan, Map<JobId, Planned> before, Map<JobId, Planned> after) {
        Planned now = after.get(job);
        boolean kept =
                cell.state.knownJob(job).state() != JobState.PENDING
                        || (now != null && now.start() <= Math.max(plan.start(), cell.now + COST));
        boolean ahead = waited.headSet(job).stream().anyMatch(it -> !before.containsKey(it));
        looks += ahead ? 0 : 1;
        assertThat(kept || ahead)
                .as("at %d job %s, expected %s, then %s", cell.now, job, plan, now)
                .isTrue();
    }

    private Map<JobId, Planned> planned() {
        var planned = new TreeMap<JobId, Planned>();
        for (JobId id : cell.state.pending()) {
            @Nullable Planned plan = cell.state.knownJob(id).planned();
            if (plan != null) {
                planned.put(id, plan);
            }
        }
        return planned;
    }
}
