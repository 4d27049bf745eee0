package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Trial.Job;
import io.berth.core.packing.FreeNode;
import io.berth.core.packing.PackingPolicy;
import io.berth.core.packing.Policies;
import io.berth.core.packing.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What holds of every decision, over seeded random clusters and jobs. A failure names its seed.
final class SchedulingLawsTest {

    private static final int SEEDS = Integer.getInteger("berth.laws.seeds", 100);

    private interface Law {
        void check(Random random);
    }

    private static void always(Law law) {
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                law.check(new Random(seed));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private static Settings settings(Random random) {
        return new Settings(
                Backfill.values()[random.nextInt(3)],
                1 + random.nextInt(12),
                random.nextBoolean() ? Policies.TIGHTEST : policy(random),
                random.nextBoolean() ? 1 + random.nextInt(4) : 1000);
    }

    private static PackingPolicy policy(Random random) {
        var node = new FreeNode(64_000, 1 << 20, 0, new int[8]);
        PackingPolicy policy =
                Policies.of(
                        Policies.live().get(random.nextInt(Policies.live().size())), List.of(node));
        policy.learn(
                IntStream.range(0, 20)
                        .mapToObj(_ ->
                                new Shape(
                                        1000 * random.nextInt(8),
                                        1024,
                                        1 + random.nextInt(4),
                                        Shape.WHOLE,
                                        -1))
                        .toList());
        return policy;
    }

    private static Trial cluster(Random random, Settings settings) {
        int[] gpus = new int[1 + random.nextInt(6)];
        for (int i = 0; i < gpus.length; i++) {
            gpus[i] = new int[] {0, 4, 8, -2, 2 + 2 * Trial.OTHERS}[random.nextInt(5)];
        }
        if (random.nextBoolean()) {
            return new Trial(settings, gpus);
        }
        int[] leaves = new int[gpus.length];
        for (int i = 0; i < leaves.length; i++) {
            leaves[i] = random.nextInt(3);
        }
        int[] rows = new int[gpus.length];
        Arrays.setAll(rows, _ -> random.nextInt(3) - 1);
        int[] blocks = new int[gpus.length];
        Arrays.setAll(blocks, _ -> random.nextInt(3) - 1);
        var network =
                new Network(
                        List.of(leaves, new int[leaves.length]),
                        new int[0],
                        List.of(blocks),
                        List.of(rows));
        return new Trial(settings, network, gpus);
    }

    private static List<Job> jobs(Random random, int count, long lastSubmit) {
        var jobs = new ArrayList<Job>();
        for (int i = 1; i <= count; i++) {
            long limit = random.nextInt(12) == 0 ? 0 : 10 + random.nextInt(600);
            long most = limit == 0 ? 700 : limit + 20;
            int share = random.nextInt(3) == 0 ? 50 * (1 + random.nextInt(20)) : 0;
            jobs.add(
                    new Job(
                            i,
                            lastSubmit == 0 ? 0 : random.nextLong(lastSubmit),
                            share > 0 ? 1 : 1 + Math.max(0, random.nextInt(5) - 2),
                            share > 0 ? 0 : random.nextInt(9),
                            limit,
                            1 + random.nextLong(most),
                            random.nextInt(4),
                            share));
        }
        return jobs;
    }

    @Test
    void nobody_is_on_a_node_while_it_is_closed_to_him() {
        always(random -> {
            var trial = cluster(random, settings(random));
            long[][] closed = closed(random, trial.engine.cluster.size());
            trial.close(new Hours(closed, Node.NEVER));
            List<Job> jobs = jobs(random, 40, 1500);
            jobs.forEach(trial::submit);
            while (trial.step(random.nextInt(4) == 0)) {
                for (Job job : jobs) {
                    for (int node : trial.places.getOrDefault(job.id(), new int[0])) {
                        long start = trial.starts.getOrDefault(job.id(), 0L);
                        assertThat(open(closed[node], start, trial.limit(job)))
                                .as("job %s on node %s", job.id(), node)
                                .isTrue();
                    }
                }
            }
        });
    }

    private static long[][] closed(Random random, int nodes) {
        var closed = new long[nodes][];
        for (int node = 0; node < nodes; node++) {
            long first = 1000L * random.nextInt(1500);
            long last = first + 1000L * (1 + random.nextInt(900));
            closed[node] = random.nextBoolean() ? new long[] {first, last} : Hours.OPEN;
        }
        return closed;
    }

    /// Whether a job could last to its limit, in seconds.
    private static boolean open(long[] closed, long startSeconds, long limit) {
        long start = startSeconds * 1000;
        long end = limit == 0 ? Long.MAX_VALUE : start + limit * 1000;
        return closed.length == 0 || end <= closed[0] || start >= closed[1];
    }

    @Test
    void nothing_is_held_twice() {
        always(random -> {
            var trial = cluster(random, settings(random));
            jobs(random, 60, 1500).forEach(trial::submit);
            while (trial.step(random.nextInt(4) == 0)) {
                assertThat(trial.licensesHeld()).isLessThanOrEqualTo(Trial.LICENSES);
                for (int i = 0; i < trial.engine.cluster.size(); i++) {
                    assertThat(Arrays.stream(trial.engine.cluster.node(i).free).min().orElse(0))
                            .isNotNegative();
                }
            }
        });
    }

    @Test
    void nobody_is_beside_whom_he_may_not_be_beside() {
        always(random -> {
            var trial = cluster(random, settings(random));
            List<Job> jobs = jobs(random, 60, 1500);
            jobs.forEach(trial::submit);
            while (trial.step(random.nextInt(4) == 0)) {
                for (int i = 0; i < trial.engine.cluster.size(); i++) {
                    Node node = trial.engine.cluster.node(i);
                    assertThat(Arrays.stream(node.left).min().orElse(0)).isNotNegative();
                    for (Node.Step run : node.runs().steps()) {
                        Tenant tenant = run.demand().tenant();
                        assertThat(node.strangers(tenant))
                                .as("strangers of job %s on node %s", run.job(), i)
                                .isEqualTo(tenant.block() ? 1 : 0); // Itself.
                        for (int mate : tenant.block() ? mates(trial, i) : new int[0]) {
                            assertThat(trial.engine.cluster.node(mate).runs().steps())
                                    .extracting(Node.Step::job)
                                    .containsOnly(run.job());
                        }
                    }
                }
            }
        });
    }

    private static int[] mates(Trial trial, int node) {
        Network network = trial.engine.cluster.network;
        int block = network.block(node);
        return block < 0 ? new int[0] : network.inBlock(block);
    }

    @Test
    void a_gang_has_such_nodes_as_it_asked_for() {
        always(random -> {
            var trial = cluster(random, settings(random));
            List<Job> jobs = jobs(random, 40, 1500);
            jobs.forEach(trial::submit);

            trial.run();

            for (Job job : jobs) {
                int[] nodes = trial.places.getOrDefault(job.id(), new int[0]);
                int[] row = Arrays.stream(nodes).sorted().toArray();
                if (nodes.length > 0) {
                    assertThat(nodes.length).isBetween(job.nodes(), Trial.most(job));
                    assertThat(Arrays.stream(nodes).distinct().count()).isEqualTo(nodes.length);
                    assertThat(!Trial.inRow(job) || row[row.length - 1] - row[0] < row.length)
                            .isTrue();
                    assertThat(trial.among(job).stream())
                            .as("job %s on %s", job.id(), Arrays.toString(row))
                            .allMatch(node -> Arrays.binarySearch(row, node) >= 0);
                    assertThat(chosen(trial.choices(job), row))
                            .as("job %s on %s", job.id(), Arrays.toString(row))
                            .isTrue();
                }
            }
        });
    }

    private static boolean chosen(List<Choice> choices, int[] row) {
        return choices.isEmpty()
                || choices.stream().anyMatch(it -> OracleTest.keeps(it, bits(row)));
    }

    private static int bits(int[] nodes) {
        return Arrays.stream(nodes).map(node -> 1 << node).sum();
    }

    @Test
    void whatever_could_ever_run_runs_once_and_ends() {
        always(random -> {
            var trial = cluster(random, settings(random));
            List<Job> jobs = jobs(random, 60, 1500);
            jobs.forEach(trial::submit);
            var possible = jobs.stream().filter(job -> trial.fit(job).able()).map(Job::id).toList();

            trial.run();

            assertThat(trial.starts.keySet()).containsExactlyInAnyOrderElementsOf(possible);
        });
    }

    @Test
    void nobody_has_less_time_than_he_would_take() {
        int[] lowered = {0};
        always(random -> {
            var trial = cluster(random, settings(random));
            jobs(random, 40, 1500).forEach(trial::submit);

            trial.run();

            lowered[0] += trial.shortened.size();
            trial.shortened.forEach((id, length) -> {
                Job job = Objects.requireNonNull(trial.jobs.get(id));
                assertThat(length)
                        .as("job %s", job)
                        .isBetween(
                                Scheduling.lengthOf(Trial.least(job) * 1000),
                                Scheduling.lengthOf(job.limit() * 1000) - 1);
            });
        });
        assertThat(lowered[0]).isPositive();
    }

    @Test
    void an_engine_that_has_just_been_built_decides_the_same() {
        always(random -> {
            var trial = cluster(random, settings(random));
            trial.secondTier = random.nextInt(2);
            trial.impatient = random.nextBoolean();
            jobs(random, 50, 1200).forEach(trial::submit);
            while (trial.step(random.nextInt(4) == 0)) {
                trial.decidesAsOneJustBuilt(random.nextBoolean());
            }
        });
    }

    /// And now and then one more: who is tried once in a pass is tried once in each.
    @Test
    void passes_that_are_cut_off_start_together_what_one_that_is_not_does() {
        int[] cut = {0};
        always(random -> {
            Settings settings = settings(random).with(1000);
            var trial = cluster(random, settings);
            trial.secondTier = random.nextInt(2);
            trial.impatient = random.nextBoolean();
            jobs(random, 50, 1200).forEach(trial::submit);
            while (trial.advance()) {
                boolean plan = random.nextInt(4) == 0;
                Trial some = trial.rebuilt(settings.with(1 + random.nextInt(4)));
                Trial whole = trial.rebuilt();
                trial.pass(plan);
                whole.pass(plan);
                some.pass(plan);
                while (some.cutOff()) {
                    some.pass(false);
                    cut[0]++;
                }
                assertThat(some.starts).containsAllEntriesOf(whole.starts);
            }
        });
        assertThat(cut[0]).isGreaterThan(SEEDS);
    }

    /// Of jobs that start together the one that ends first ends all.
    @Test
    void nobody_is_expected_when_he_will_have_ended() {
        int[] late = {0};
        always(random -> {
            var trial = cluster(random, settings(random));
            trial.secondTier = random.nextInt(2);
            trial.impatient = true;
            List<Job> jobs = jobs(random, 40, 900);
            jobs.subList(4, 40).forEach(trial::submit);
            trial.submitTogether(at(jobs.get(0), 300), at(jobs.get(1), 300));
            trial.submitTogether(at(jobs.get(2), 600), at(jobs.get(3), 600));
            while (trial.step(random.nextInt(4) == 0)) {
                for (Job job : jobs) {
                    long last = trial.lastStartTogether(job);
                    assertThat(trial.expected.getOrDefault(job.id(), Long.MIN_VALUE))
                            .as("at %d job %d", trial.now, job.id())
                            .isLessThan(last);
                    boolean waits = trial.waits(job.id()) && last < Node.NEVER;
                    late[0] += waits && !trial.expected.containsKey(job.id()) ? 1 : 0;
                }
            }
        });
        assertThat(late[0]).isGreaterThan(SEEDS);
    }

    /// The same, at that time.
    private static Job at(Job job, long submit) {
        return new Job(
                job.id(),
                submit,
                job.nodes(),
                job.gpus(),
                job.limit(),
                job.runs(),
                job.priority(),
                job.share());
    }

    @Test
    void who_will_have_ended_before_there_is_room_keeps_nothing_from_anybody() {
        int[] compared = {0};
        always(random -> {
            var settings = new Settings(Backfill.CONSERVATIVE, 40, Policies.TIGHTEST);
            Trial trial = cluster(random, settings);
            trial.impatient = true;
            jobs(random, 30, 900).forEach(trial::submit);
            while (trial.advance()) {
                boolean plan = random.nextBoolean();
                Trial with = trial.rebuilt();
                with.pass(plan);
                for (Job job : trial.jobs.values()) {
                    boolean late =
                            Trial.impatient(job)
                                    && with.waits(job.id())
                                    && !with.expected.containsKey(job.id())
                                    && !trial.expected.containsKey(job.id());
                    if (late) {
                        Trial without = trial.rebuilt();
                        without.cancel(job.id());
                        without.pass(plan);
                        assertThat(with.starts).as("job %s", job).isEqualTo(without.starts);
                        assertThat(with.expected).as("job %s", job).isEqualTo(without.expected);
                        compared[0]++;
                    }
                }
                trial.pass(plan);
            }
        });
        assertThat(compared[0]).isGreaterThan(SEEDS);
    }

    /// Such as have no expected start, and want neither licenses nor blocks.
    @Test
    void who_ends_if_he_does_not_start_waits_for_nobody_behind_him() {
        int[] compared = {0};
        always(random -> {
            var settings = new Settings(Backfill.CONSERVATIVE, 40, Policies.TIGHTEST);
            Trial trial = cluster(random, settings);
            trial.impatient = true;
            jobs(random, 30, 900).forEach(trial::submit);
            while (trial.advance()) {
                boolean plan = random.nextBoolean();
                Map<Job, Trial> first = new LinkedHashMap<>();
                for (Job job : jobsWaiting(trial)) {
                    boolean plain = Trial.licenses(job) == 0 && !Trial.tenant(job).block();
                    if (Trial.impatient(job) && plain && !trial.expected.containsKey(job.id())) {
                        Trial alone = trial.rebuilt();
                        jobsWaiting(alone).stream()
                                .filter(it -> isAhead(job, it))
                                .forEach(it -> alone.cancel(it.id()));
                        alone.pass(plan);
                        first.put(job, alone);
                    }
                }
                trial.pass(plan);
                first.forEach((job, alone) -> {
                    boolean late = trial.waits(job.id()) && !trial.expected.containsKey(job.id());
                    if (late && alikeAhead(job, trial, alone)) {
                        assertThat(alone.starts.keySet())
                                .as("at %d, %s", trial.now, job)
                                .doesNotContain(job.id());
                        compared[0]++;
                    }
                });
            }
        });
        assertThat(compared[0]).isGreaterThan(SEEDS);
    }

    private static boolean alikeAhead(Job job, Trial one, Trial other) {
        return one.jobs.values().stream()
                .filter(it -> isAhead(it, job))
                .map(Job::id)
                .allMatch(it ->
                        one.waits(it) == other.waits(it)
                                && Objects.equals(one.expected.get(it), other.expected.get(it)));
    }

    private static List<Job> jobsWaiting(Trial trial) {
        return trial.jobs.values().stream().filter(it -> trial.waits(it.id())).toList();
    }

    @Test
    void an_early_end_never_moves_an_expected_start_later() {
        always(random -> {
            var settings = new Settings(Backfill.CONSERVATIVE, 40, Policies.TIGHTEST);
            var trial = cluster(random, settings);
            jobs(random, 30, 0).forEach(it -> trial.submit(within(it, random)));
            trial.step(true);
            trial.keepsPromises(random);
        });
    }

    @Test
    void a_run_that_is_about_to_end_puts_nobody_off() {
        var trial = new Trial(Settings.DEFAULT, 2);
        trial.submit(new Job(1000, 0, 1, 1, 100, 102, 9));
        trial.submit(new Job(1001, 0, 1, 1, 104, 106, 9));
        trial.submit(new Job(1003, 0, 1, 1, 600, 600, 9));
        trial.submit(new Job(1005, 0, 1, 1, 60, 60, 9));
        trial.step(false);
        var promised = Map.of(1003L, 102_000L, 1005L, 106_000L);
        assertThat(trial.expected).isEqualTo(promised);

        trial.step(false);

        assertThat(trial.starts).containsEntry(1003L, 102L);
        assertThat(trial.expected).containsExactly(Map.entry(1005L, 106_000L));
        assertThat(trial.engine.stale()).isFalse();
    }

    @Test
    void a_job_that_starts_out_of_order_moves_no_job_ahead_of_it() {
        always(random -> {
            int depth = 1 + random.nextInt(6);
            var settings = new Settings(Backfill.CONSERVATIVE, depth, Policies.TIGHTEST);
            long seed = random.nextLong();
            List<Job> jobs = jobs(random, 30, 0);
            Trial with = cluster(new Random(seed), settings);
            jobs.forEach(with::submit);
            with.step(true);
            for (Job started : jobs) {
                if (!with.starts.containsKey(started.id())) {
                    continue;
                }
                Trial without = cluster(new Random(seed), settings);
                jobs.stream().filter(job -> !job.equals(started)).forEach(without::submit);
                without.step(true);

                for (Job ahead : jobs) {
                    Long then = without.expected.get(ahead.id());
                    if (then != null && isAhead(ahead, started)) {
                        assertThat(with.expected.getOrDefault(ahead.id(), 0L))
                                .as("job %s with and without %s", ahead.id(), started.id())
                                .isLessThanOrEqualTo(then);
                    }
                }
            }
        });
    }

    /// At each moment, after ends, arrivals, cancellations, and nodes that went and came. A job
    /// that was expected itself keeps its word, and starts in nobody's way who was expected before.
    @Test
    void a_job_that_starts_out_of_order_later_moves_no_job_ahead_of_it() {
        int[] compared = {0};
        always(random -> {
            int depth = 1 + random.nextInt(40);
            var settings = new Settings(Backfill.CONSERVATIVE, depth, Policies.TIGHTEST);
            Trial trial = cluster(random, settings);
            trial.impatient = random.nextBoolean();
            jobs(random, 30, 900).forEach(trial::submit);
            while (trial.advance()) {
                disturb(trial, random);
                Trial with = trial.rebuilt();
                with.pass(true);
                for (long id : with.starts.keySet()) {
                    if (trial.expected.containsKey(id)) {
                        continue;
                    }
                    Trial without = trial.rebuilt();
                    without.cancel(id);
                    without.pass(true);
                    Job started = Objects.requireNonNull(trial.jobs.get(id));
                    without.expected.forEach((ahead, then) -> {
                        if (isAhead(Objects.requireNonNull(trial.jobs.get(ahead)), started)) {
                            assertThat(with.expected.getOrDefault(ahead, 0L))
                                    .as("at %d job %d with and without %d", trial.now, ahead, id)
                                    .isLessThanOrEqualTo(then);
                            compared[0]++;
                        }
                    });
                }
                trial.pass(random.nextBoolean());
            }
        });
        assertThat(compared[0]).isGreaterThan(SEEDS);
    }

    /// At each moment: a waiting job is cancelled, or a node goes or comes, one time in four. True:
    /// a node went.
    private static boolean disturb(Trial trial, Random random) {
        int node = random.nextInt(trial.engine.cluster.size());
        switch (random.nextInt(12)) {
            case 0 ->
                    trial.jobs.keySet().stream()
                            .filter(trial::waits)
                            .sorted()
                            .skip(random.nextInt(5))
                            .findFirst()
                            .ifPresent(trial::cancel);
            case 1 -> {
                return trial.engine.open(node, false);
            }
            case 2 -> trial.engine.open(node, true);
            default -> {}
        }
        return false;
    }

    /// Who stands ahead and has got an expected start, or has one that has passed, has the plan
    /// behind him made anew: nobody there is promised anything. Who has none and gets none has not.
    @Test
    void an_expected_start_comes_later_only_if_somebody_is_new_before_it_or_a_node_went() {
        int[] kept = {0};
        always(random -> {
            var settings = new Settings(Backfill.CONSERVATIVE, 40, Policies.TIGHTEST);
            Trial trial = cluster(random, settings);
            trial.impatient = random.nextBoolean();
            List<Job> jobs = jobs(random, 30, 900).stream().map(it -> within(it, random)).toList();
            jobs.forEach(trial::submit);
            Map<Long, Long> promised = Map.of();
            long highest = -1;
            boolean gone = false;
            while (trial.advance()) {
                gone |= disturb(trial, random);
                List<Job> late =
                        jobs.stream()
                                .filter(it -> trial.waits(it.id()))
                                .filter(it -> late(trial, it.id()))
                                .toList();
                var expected = new TreeMap<>(trial.expected);
                boolean plan = random.nextBoolean();
                trial.pass(plan);
                long unexpected =
                        late.stream()
                                .filter(it ->
                                        !trial.waits(it.id())
                                                || expected.containsKey(it.id())
                                                || trial.expected.containsKey(it.id()))
                                .mapToLong(Job::priority)
                                .max()
                                .orElse(-1);
                highest = Math.max(highest, unexpected);
                for (Job job : gone ? List.<Job>of() : jobs) {
                    Long before = promised.get(job.id());
                    if (before != null && job.priority() > highest && trial.waits(job.id())) {
                        assertThat(trial.expected.getOrDefault(job.id(), Long.MAX_VALUE))
                                .as("at %d job %d, above %d", trial.now, job.id(), highest)
                                .isLessThanOrEqualTo(before);
                        kept[0]++;
                    }
                }
                if (plan) {
                    highest = -1;
                    gone = false;
                }
                promised = new TreeMap<>(trial.expected);
            }
        });
        assertThat(kept[0]).isGreaterThan(SEEDS);
    }

    private static boolean late(Trial trial, long job) {
        return trial.expected.getOrDefault(job, 0L) <= trial.now * 1000;
    }

    /// The same, with a limit that it does not pass.
    private static Job within(Job job, Random random) {
        long limit = Math.max(10, job.limit());
        return new Job(
                job.id(),
                job.submit(),
                job.nodes(),
                job.gpus(),
                limit,
                1 + random.nextLong(limit),
                job.priority(),
                job.share());
    }

    private static boolean isAhead(Job one, Job other) {
        return one.priority() > other.priority()
                || (one.priority() == other.priority() && one.id() < other.id());
    }

    @Test
    void a_job_is_planned_in_the_partition_where_it_starts_soonest() {
        var trial = new Trial(Settings.DEFAULT, 8, 8);
        trial.secondTier = 1;
        trial.submit(new Job(1000, 0, 1, 8, 300, 300, 9));
        trial.submit(new Job(1005, 0, 1, 8, 100, 100, 9));
        trial.step(true);
        var chooses = new Job(7, 1, 1, 8, 60, 60, 1);
        assertThat(Trial.chooses(chooses)).isTrue();
        trial.submit(chooses);

        trial.step(true);

        var plan = Objects.requireNonNull(trial.engine.plans.of(7));
        assertThat(trial.places.get(1000L)).as("in both partitions").containsExactly(0);
        assertThat(plan.start()).isEqualTo(102_000);
        assertThat(plan.job().choice).isZero();
        assertThat(trial.engine.plans.size()).isEqualTo(1);
    }

    @Test
    void a_job_that_spreads_starts_where_it_ends_just_before_somebody_else_begins() {
        var trial = new Trial(Settings.DEFAULT, 4, 4);
        trial.submit(new Job(1000, 0, 1, 3, 54, 54, 9));
        trial.submit(new Job(1005, 0, 1, 3, 54, 54, 9));
        trial.submit(new Job(1010, 0, 2, 4, 60, 60, 8));
        var spreads = new Job(8, 0, 1, 2, 54, 54, 0);
        assertThat(Trial.spread(spreads)).isTrue();
        trial.submit(spreads);

        trial.step(false);

        assertThat(trial.expected).containsExactly(Map.entry(1010L, 56_000L));
        assertThat(trial.places.get(8L)).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void a_job_that_could_spread_below_one_switch_hears_of_a_node_below_none() {
        var network =
                new Network(
                        List.of(new int[1], new int[1]),
                        new int[0],
                        List.of(new int[1]),
                        List.of(new int[] {-1}));
        var settings = new Settings(Backfill.CONSERVATIVE, 0, Policies.TIGHTEST);
        var trial = new Trial(settings, network, 8);
        trial.submit(new Job(1000, 0, 1, 8, 0, 60, 9));
        var spreads = new Job(8, 0, 1, 6, 0, 60, 0);
        assertThat(Trial.spread(spreads)).isTrue();
        assertThat(trial.fit(spreads).widest.admits(trial.engine.cluster.node(0))).isFalse();
        trial.submit(spreads);

        trial.run();

        assertThat(trial.starts).containsEntry(8L, 60L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void jobs_that_spread_or_take_less_time_are_not_all_tried_again(boolean spread) {
        var trial = new Trial(new Settings(Backfill.CONSERVATIVE, 1, Policies.TIGHTEST), 4, 4, 4);
        for (long node = 0; node < 3; node++) {
            trial.submit(new Job(1000 + 5 * node, 0, 1, 3, 7200, 7200, 9));
        }
        int waiting = 0;
        for (long id = 1; waiting < 40; id++) {
            var job = new Job(id, 60, spread ? 2 : 1, spread ? 2 : 4, 3600, 60, 1);
            boolean plain = Trial.counted(job) == 0 && Trial.licenses(job) == 0;
            if (plain && Trial.spread(job) == spread && (Trial.least(job) > 0) != spread) {
                trial.submit(job);
                waiting++;
            }
        }
        trial.step(true);
        trial.step(true);
        assertThat(trial.starts).hasSize(3);
        trial.pass(false);
        trial.asked = 0;

        trial.pass(false);

        assertThat(trial.asked).isLessThan(10);
    }
}
