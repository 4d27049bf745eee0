package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.Node.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/// By when nodes will be ready, against adding up what is free at every moment at which it changes.
final class ReadyTimesTest {

    /// A failure names its seed.
    private static final int SEEDS = Integer.getInteger("berth.laws.seeds", 500);

    private static final long[] WINDOW_HOURS = {0, 1, 6, 24};
    private static final long HALF_HOUR = TimeUnit.MINUTES.toMillis(30);
    private static final int CPUS = 12;
    private static final int[] GPUS = {2, 3};
    private static final int[] SLOTS = {1000, 60};

    /// A node of two types of GPUs and two shared ones, with runs and reservations.
    private static final class Drawn {

        final Kind kind = new Kind(CPUS, 64, GPUS, SLOTS);
        final Node node = new Node(0, kind);
        final ReadyTimes times = new ReadyTimes(kind, 1);
        final Random random;

        /// What is left by half hour and place, as [Node#free].
        private final long[][] left = new long[150][];

        Drawn(int seed) {
            random = new Random(seed);
            Arrays.setAll(left, _ -> node.free.clone());
            for (int job = 0; job < random.nextInt(12); job++) {
                Demand demand = demand();
                long from = random.nextInt(80) * HALF_HOUR;
                long until = from + (1 + random.nextInt(60)) * HALF_HOUR;
                boolean runs = random.nextBoolean();
                if (!takes(demand, runs ? 0 : from, until)) {
                    continue;
                }
                if (runs) {
                    node.take(job, demand, demand, until, null);
                } else {
                    node.reserve(job, demand, from, until);
                }
            }
            times.refresh(node);
        }

        /// Takes something for a while, if it is there all the while.
        private boolean takes(Demand demand, long from, long until) {
            long[][] all = Arrays.copyOfRange(left, halfHours(from), halfHours(until));
            if (!Arrays.stream(all).allMatch(free -> node.covers(free, demand))) {
                return false;
            }
            Arrays.stream(all).forEach(free -> node.add(free, demand, -1));
            return true;
        }

        private static int halfHours(long time) {
            return (int) (time / HALF_HOUR);
        }

        Demand demand() {
            int lane = random.nextInt(5) - 1;
            int gpus = lane < 0 ? 0 : 1 + random.nextInt(lane < 2 ? GPUS[lane] : SLOTS[lane - 2]);
            int other = lane == 0 || lane == 1 ? random.nextInt(3) : 0;
            return new Demand(random.nextInt(CPUS + 1), 1, gpus, lane)
                    .alsoWith(
                            other == 0
                                    ? Counted.NONE
                                    : Counted.one(1 - lane, Math.min(other, GPUS[1 - lane])));
        }

        long readyAt(long length, Demand... ways) {
            return times.of(ways, length).earliest(1);
        }

        /// The first time from which on so much is free for a length of time.
        long firstAt(long free, ToLongFunction<Demand> of, LongPredicate enough, long length) {
            List<Step> steps = new ArrayList<>(List.of(node.runs().steps()));
            steps.addAll(List.of(node.reservations().steps()));
            var moments = new TreeSet<Long>();
            moments.add(0L);
            steps.forEach(step -> moments.add(step.time()));
            for (long from : moments) {
                boolean all = true;
                for (long at : moments) {
                    if (at == from || (at > from && at < from + length)) {
                        long have = free;
                        for (Step step : steps) {
                            have +=
                                    step.time() <= at
                                            ? step.sign() * of.applyAsLong(step.demand())
                                            : 0;
                        }
                        all &= enough.test(have);
                    }
                }
                if (all) {
                    return from;
                }
            }
            return Node.NEVER;
        }
    }

    private interface Law {
        void check(Drawn drawn, long length);
    }

    private static void always(Law law) {
        for (int seed = 0; seed < SEEDS; seed++) {
            for (long hours : WINDOW_HOURS) {
                try {
                    law.check(new Drawn(seed), TimeUnit.HOURS.toMillis(hours));
                } catch (AssertionError e) {
                    throw new AssertionError(
                            "seed " + seed + ", " + hours + " hours: " + e.getMessage(), e);
                }
            }
        }
    }

    @Test
    void whole_gpus_of_any_type_are_counted_one_by_one() {
        always((it, length) -> {
            int wanted = 1 + it.random.nextInt(3);

            assertThat(it.readyAt(length, new Demand(1, 1, wanted, 1)))
                    .isEqualTo(
                            it.firstAt(
                                    it.node.freeGpus(),
                                    it.kind::whole,
                                    have -> have >= wanted,
                                    length));
        });
    }

    @Test
    void cpus_are_counted_in_powers_of_two() {
        always((it, length) -> {
            int wanted = it.random.nextInt(CPUS + 1);

            assertThat(it.readyAt(length, new Demand(wanted, 1, 0, -1)))
                    .isEqualTo(
                            it.firstAt(
                                    it.node.free[0],
                                    Demand::cpus,
                                    // One that may share its CPUs needs none.
                                    have -> wanted == 0 || have >= Integer.highestOneBit(wanted),
                                    length));
        });
    }

    @Test
    void a_part_of_a_gpu_is_ready_when_one_of_the_shared_ones_has_its_twentieths() {
        always((it, length) -> {
            int twentieths = it.random.nextInt(21);
            long soonest = Node.NEVER;
            Demand[] ways = new Demand[SLOTS.length];
            for (int slot = 0; slot < SLOTS.length; slot++) {
                int lane = GPUS.length + slot;
                int least = Math.max(1, twentieths * SLOTS[slot] / 20);
                int more = it.random.nextInt(Math.max(1, SLOTS[slot] / 20 - 1));
                ways[slot] = new Demand(1, 1, Math.min(SLOTS[slot], least + more), lane);
                soonest =
                        Math.min(
                                soonest,
                                it.firstAt(
                                        it.node.free[2 + lane],
                                        demand -> demand.gpusOf(lane),
                                        have -> have >= least,
                                        length));
            }

            assertThat(it.readyAt(length, ways)).isEqualTo(soonest);
        });
    }

    @Test
    void nothing_that_fits_does_so_before() {
        always((it, length) -> {
            Demand demand = it.demand();
            var atEnds = new Node.Clock(0, 0);

            assertThat(it.readyAt(length, demand))
                    .isLessThanOrEqualTo(
                            it.node.earliest(demand, length, 0, Node.NEVER, atEnds, Hours.OPEN));
        });
    }

    @Test
    void a_node_that_is_closed_is_never_ready() {
        always((it, length) -> {
            Demand demand = it.demand();
            it.node.open = false;
            it.times.refresh(it.node);

            assertThat(it.readyAt(length, demand)).isEqualTo(Readiness.NEVER);
        });
    }
}
