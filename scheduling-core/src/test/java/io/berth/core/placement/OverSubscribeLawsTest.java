package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.PartitionRules.Use.OverSubscribe;
import io.berth.contracts.event.RunReport;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.Fact;
import io.berth.core.testing.TestCell;
import io.berth.core.testing.TestPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// What holds where jobs of a partition have their CPUs together, over seeded random cells: nodes
/// of eight CPUs, of which the jobs of another partition have their own.
final class OverSubscribeLawsTest {

    private static final int SEEDS = Integer.getInteger("berth.laws.seeds", 20);
    private static final int CPUS = 8;

    private static void always(Consumer<World> law) {
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                law.accept(new World(seed));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    @Test
    void a_cpu_is_held_by_so_many_of_the_partition_that_share_theirs_or_by_one() {
        always(World::keepsItsWord);
    }

    @Test
    void the_first_that_waits_is_expected_as_soon_as_there_are_cpus_that_it_may_have() {
        always(World::findsTheFirstPlace);
    }

    /// The CPUs of one that starts are for those again who begin after its end, not for one that
    /// begins with it: so all of them have their turn as they were told.
    @Test
    void one_that_starts_puts_off_nobody_who_counts_on_the_same_cpus() {
        var cell = new TestCell();
        var rule = new OverSubscribe(true, 2);
        TestPartition.change(cell, "batch", TestPartition.used(it -> it.overSubscribe = rule));
        cell.node("n1", CPUS, 0, "a100");
        var wanted =
                List.of(
                        new Wanted(true, 1, CPUS, Sharing.OVERSUBSCRIBE, 1200),
                        new Wanted(true, 1, CPUS, Sharing.OVERSUBSCRIBE, 60),
                        new Wanted(true, 1, 2, Sharing.OVERSUBSCRIBE, 60),
                        new Wanted(true, 1, 7, Sharing.OVERSUBSCRIBE, 540),
                        new Wanted(true, 1, 1, Sharing.OVERSUBSCRIBE, 120));
        for (int i = 0; i < wanted.size(); i++) {
            cell.submit(i + 1, wanted.get(i).job());
            cell.round();
        }
        Planned told = Objects.requireNonNull(cell.job(5).planned());
        assertThat(Objects.requireNonNull(cell.job(3).planned()).start()).isEqualTo(told.start());

        cell.now = told.start();
        cell.ended(2, 1, "n1", RunReport.Cause.EXITED, 0);
        cell.round();

        assertThat(cell.job(3).run()).isNotNull();
        assertThat(cell.job(5).run()).isNotNull();
    }

    /// @param shared whether it is in the partition whose jobs share their CPUs
    private record Wanted(boolean shared, int nodes, int cpus, Sharing sharing, long limit) {

        static Wanted random(Random random, int nodes) {
            Sharing[] sharings = {
                Sharing.SHARED, Sharing.USER, Sharing.NODE, Sharing.OVERSUBSCRIBE
            };
            boolean shared = random.nextInt(4) > 0;
            int most = shared ? Math.min(2, nodes) : 1;
            return new Wanted(
                    shared,
                    1 + random.nextInt(most),
                    1 + random.nextInt(CPUS),
                    random.nextBoolean()
                            ? Sharing.OVERSUBSCRIBE
                            : sharings[random.nextInt(sharings.length)],
                    60L * (1 + random.nextInt(20)));
        }

        JobDescription job() {
            var request =
                    new ResourceRequest(
                            nodes, nodes, cpus, MemoryRequest.perNode(100), GpuRequest.NONE);
            var where = new NodeConstraints(null, List.of(), List.of(), sharing, null);
            JobDescription job = TestCell.job(request.on(where), limit);
            return shared ? job : job.in("pair");
        }
    }

    /// A cell, and what its jobs want.
    private static final class World {

        private final Random random;
        private final TestCell cell = new TestCell();
        private final TreeMap<Long, Wanted> jobs = new TreeMap<>();
        private final OverSubscribe rule;
        private final int nodes;
        private final Placement kept;

        World(long seed) {
            random = new Random(seed);
            rule = new OverSubscribe(random.nextBoolean(), 2 + random.nextInt(3));
            nodes = 1 + random.nextInt(3);
            TestPartition.change(cell, "batch", TestPartition.used(it -> it.overSubscribe = rule));
            for (int node = 1; node <= nodes; node++) {
                cell.node("n" + node, CPUS, 0, "a100");
            }
            kept = new Placement(cell.state, Settings.DEFAULT);
        }

        private void submit(Wanted wanted) {
            long id = jobs.size() + 1L;
            jobs.put(id, wanted);
            cell.submit(id, wanted.job()).forEach(kept::note);
        }

        private Wanted wanted(long id) {
            return Objects.requireNonNull(jobs.get(id));
        }

        private boolean shares(long id) {
            return wanted(id).shared() && rule.admits(wanted(id).sharing());
        }

        private List<Allocation> running(long id) {
            JobStatus job = cell.state.job(new JobId(id)).orElse(null);
            Run run = job == null ? null : job.run();
            return run == null ? List.of() : run.allocations();
        }

        private void end(long id) {
            for (Allocation it : running(id)) {
                cell.ended(id, 1, it.node().value(), RunReport.Cause.EXITED, 0).forEach(kept::note);
            }
        }

        private long end(long id, long now) {
            Run run = cell.job(id).run();
            return run == null
                    ? now
                    : Scheduling.latestEnd(run.placedAt(), wanted(id).limit() * 1000);
        }

        /// By CPU of all nodes, who has it of those who have not ended by then.
        private TreeMap<String, List<Long>> holders(long at) {
            var holders = new TreeMap<String, List<Long>>();
            for (long id : jobs.keySet()) {
                for (Allocation it : running(id)) {
                    if (end(id, cell.now) > at) {
                        it.cpus().toBitSet().stream()
                                .forEach(cpu ->
                                        holders.computeIfAbsent(
                                                        it.node() + ":" + cpu,
                                                        _ -> new ArrayList<>())
                                                .add(id));
                    }
                }
            }
            return holders;
        }

        private void checkHolders() {
            holders(Long.MIN_VALUE)
                    .forEach((cpu, its) -> {
                        boolean all = its.stream().allMatch(this::shares);
                        assertThat(its.size())
                                .as("jobs %s on %s", its, cpu)
                                .isLessThanOrEqualTo(all ? rule.jobs() : 1);
                    });
            for (long id : jobs.keySet()) {
                for (Allocation it : running(id)) {
                    boolean whole = wanted(id).sharing() == Sharing.NODE;
                    assertThat(it.cpus().size())
                            .as("CPUs of job %d", id)
                            .isEqualTo(whole ? CPUS : wanted(id).cpus());
                }
            }
            assertThat(cell.state.heldTwice()).isEmpty();
        }

        /// With what is known from before, or without: it must not matter.
        private void place() {
            pass(Pass.START);
            if (kept.stale()) {
                pass(Pass.PLAN);
            }
        }

        private void pass(Pass pass) {
            List<Fact> facts = Engine.place(cell.state, kept, cell.now, pass);
            if (pass == Pass.PLAN) {
                var anew = new Placement(cell.state, Settings.DEFAULT);
                assertThat(Engine.place(cell.state, anew, cell.now, pass)).isEqualTo(facts);
            }
            for (Fact fact : facts) {
                cell.state.replay(fact);
                kept.note(fact);
            }
        }

        private long nextEvent() {
            long next = Long.MAX_VALUE;
            for (long id : jobs.keySet()) {
                Planned plan = cell.state.job(new JobId(id)).map(JobStatus::planned).orElse(null);
                if (plan != null && plan.start() > cell.now) {
                    next = Math.min(next, plan.start());
                } else if (!running(id).isEmpty()) {
                    next = Math.min(next, end(id, cell.now));
                }
            }
            return next;
        }

        private void keepsItsWord() {
            var expected = new TreeMap<Long, Long>();
            for (int step = 0; step < 60; step++) {
                long event = nextEvent();
                long later = cell.now + 1000L * random.nextInt(240);
                cell.now = Math.min(event, later);
                for (int i = event < later ? 0 : random.nextInt(4); i > 0; i--) {
                    submit(Wanted.random(random, nodes));
                }
                for (long id : List.copyOf(jobs.keySet())) {
                    boolean over = !running(id).isEmpty() && end(id, cell.now) <= cell.now;
                    if (over || (!running(id).isEmpty() && random.nextInt(8) == 0)) {
                        end(id);
                    }
                }
                place();
                checkHolders();
                for (long id : jobs.keySet()) {
                    Planned plan =
                            cell.state.job(new JobId(id)).map(JobStatus::planned).orElse(null);
                    if (plan != null) {
                        Long before = expected.put(id, plan.start());
                        assertThat(plan.start())
                                .as("job %s: %s", id, jobs.get(id))
                                .isLessThanOrEqualTo(before == null ? Long.MAX_VALUE : before);
                    }
                }
            }
            assertThat(
                            jobs.keySet().stream()
                                    .filter(id ->
                                            cell.state.job(new JobId(id)).isEmpty()
                                                    || cell.job(id).state().terminal()))
                    .isNotEmpty();
        }

        private int usable(long job, String node, TreeMap<String, List<Long>> holders) {
            int usable = 0;
            for (int cpu = 0; cpu < CPUS; cpu++) {
                List<Long> its = holders.getOrDefault(node + ":" + cpu, List.of());
                boolean together =
                        shares(job)
                                && its.size() < rule.jobs()
                                && its.stream().allMatch(this::shares);
                usable += its.isEmpty() || together ? 1 : 0;
            }
            return usable;
        }

        private boolean fits(long job, long at) {
            TreeMap<String, List<Long>> holders = holders(at);
            boolean whole = wanted(job).sharing() == Sharing.NODE;
            int able = 0;
            for (int node = 1; node <= nodes; node++) {
                able +=
                        usable(job, "n" + node, holders) >= (whole ? CPUS : wanted(job).cpus())
                                ? 1
                                : 0;
            }
            return able >= wanted(job).nodes();
        }

        private void findsTheFirstPlace() {
            for (int i = 0; i < 12; i++) {
                Wanted it = Wanted.random(random, nodes);
                submit(
                        new Wanted(
                                it.shared(),
                                it.nodes(),
                                it.cpus(),
                                it.shared() ? Sharing.OVERSUBSCRIBE : Sharing.SHARED,
                                it.limit()));
            }
            cell.round();
            for (long id : List.copyOf(jobs.keySet())) {
                if (running(id).isEmpty()) {
                    cell.cancel(id);
                } else if (random.nextInt(4) == 0) {
                    end(id);
                }
            }
            Wanted it = Wanted.random(random, nodes);
            Sharing sharing = it.sharing() == Sharing.USER ? Sharing.SHARED : it.sharing();
            submit(new Wanted(true, it.nodes(), it.cpus(), sharing, it.limit()));
            long id = jobs.lastKey();
            var times = new TreeSet<Long>(List.of(cell.now));
            jobs.keySet().stream()
                    .filter(other -> !running(other).isEmpty())
                    .forEach(other -> times.add(end(other, cell.now)));
            Long first =
                    times.stream().filter(at -> fits(id, at)).findFirst().orElse(Long.MAX_VALUE);

            cell.round();

            JobStatus job = cell.job(id);
            Planned plan = job.planned();
            if (first == cell.now) {
                assertThat(job.run()).as("job %s", wanted(id)).isNotNull();
            } else {
                assertThat(plan == null ? Long.MAX_VALUE : plan.start())
                        .as("job %s", wanted(id))
                        .isEqualTo(first);
            }
        }
    }
}
