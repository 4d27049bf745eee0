package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.berth.core.engine.Node.Clock;
import io.berth.core.packing.PackingPolicy;
import io.berth.core.packing.Policies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a node says of its future, against adding up at every moment what is held at it.
final class NodeTest {

    /// A failure names its seed.
    private static final int SEEDS = Integer.getInteger("berth.laws.seeds", 1_000);

    private static final int HORIZON = 60;
    private static final int CPUS = 8;
    private static final int NICS = 3;
    private static final int[] GPUS = {2, 3};
    private static final Clock START = new Clock(0, 0);

    /// Something held from one time until before another.
    private record Use(long job, Demand demand, long from, long until, boolean reserved) {

        boolean at(long time, Clock clock) {
            return from <= time && time < end(clock);
        }

        long end(Clock clock) {
            return reserved || until > clock.now() ? until : clock.floor();
        }
    }

    /// Policies tell 63 GPUs of a node apart.
    @ParameterizedTest
    @CsvSource({"100, 0", "40, 40", "0, 100"})
    void a_node_of_more_gpus_than_policies_tell_apart_has_a_cost(int whole, int shared) {
        int[] slots = new int[shared];
        Arrays.fill(slots, 1000);
        var kind = new Kind(CPUS, 64, new int[] {whole}, slots);
        var node = new Node(0, kind);
        var demand = whole > 0 ? new Demand(1, 1, 1, 0) : new Demand(1, 1, 100, shared);

        node.take(1, demand, demand, 10, null);

        for (String name : Policies.live()) {
            PackingPolicy policy = Policies.of(name, List.of(kind.asEmpty()));
            assertThatCode(() -> node.cost(policy, demand)).doesNotThrowAnyException();
        }
        assertThat(kind.asEmpty().freeGpuMilli()).isLessThanOrEqualTo(63_000);
    }

    /// A node with runs, reservations and hours that were drawn.
    private static final class Drawn {

        private final List<Use> uses = new ArrayList<>();
        private final Random random;
        private final Kind kind =
                new Kind(
                        CPUS, 64, GPUS, new int[0], new int[0], new int[0], 1, Counted.of(0, NICS));
        private final Node node = new Node(0, kind);
        private final long now;
        private final Clock clock;
        private final long[] hours;

        Drawn(int seed) {
            random = new Random(seed);
            now = random.nextInt(10);
            clock = new Clock(now, now + 1 + random.nextInt(3));
            long closes = random.nextInt(HORIZON);
            hours =
                    random.nextInt(3) == 0
                            ? new long[] {closes, closes + 1 + random.nextInt(9)}
                            : Hours.OPEN;
            for (int job = 0; job < 3 + random.nextInt(8); job++) {
                boolean reserved = job > 2 && random.nextBoolean();
                long from = reserved ? random.nextInt(HORIZON / 2) : 0;
                long until = from + 1 + random.nextInt(HORIZON / 2);
                var use = new Use(job, demand(), from, until, reserved);
                if (fits(use)) {
                    uses.add(use);
                    if (reserved) {
                        node.reserve(job, use.demand, from, until);
                    } else {
                        node.take(job, use.demand, use.demand, until, null);
                    }
                }
            }
        }

        private Demand demand() {
            int lane = random.nextInt(3) - 1;
            int gpus = lane < 0 ? 0 : 1 + random.nextInt(GPUS[lane]);
            var more = new long[GPUS.length];
            for (int other = 0; other < more.length; other++) {
                boolean its = lane >= 0 && other != lane && random.nextInt(3) == 0;
                more[other] = its ? 1 + random.nextInt(GPUS[other]) : 0;
            }
            return new Demand(random.nextInt(5), 1 + random.nextInt(20), gpus, lane)
                    .alsoWith(Counted.of(more))
                    .with(Counted.of(0, random.nextInt(2)));
        }

        private boolean fits(Use use) {
            for (long time = 0; time < 2 * HORIZON; time++) {
                if (use.at(time, START) && !roomAt(use.demand, time, START, _ -> true)) {
                    return false;
                }
            }
            return true;
        }

        /// Whether a demand fits beside all that is held at a time.
        private boolean roomAt(Demand demand, long time, Clock clock, LongPredicate reservations) {
            int cpus = CPUS - demand.cpus();
            long memory = 64 - demand.memoryMib();
            int[] gpus = GPUS.clone();
            Arrays.setAll(gpus, lane -> gpus[lane] - demand.gpusOf(lane));
            long nics = NICS - demand.counted().at(1);
            for (Use use : uses) {
                if (use.at(time, clock) && (!use.reserved || reservations.test(use.job))) {
                    cpus -= use.demand.cpus();
                    memory -= use.demand.memoryMib();
                    Arrays.setAll(gpus, lane -> gpus[lane] - use.demand.gpusOf(lane));
                    nics -= use.demand.counted().at(1);
                }
            }
            return cpus >= 0
                    && memory >= 0
                    && IntStream.range(0, gpus.length)
                            .allMatch(it -> gpus[it] >= 0 || demand.gpusOf(it) == 0)
                    && nics >= 0;
        }

        private boolean openAt(long time) {
            return Arrays.stream(hours).filter(it -> it <= time).count() % 2 == 0;
        }

        private boolean freeAt(Demand demand, long time) {
            return openAt(time) && roomAt(demand, time, clock, _ -> true);
        }

        @Override
        public String toString() {
            return "%s, closed %s: %s".formatted(clock, Arrays.toString(hours), uses);
        }
    }

    private static void always(Consumer<Drawn> law) {
        for (int seed = 0; seed < SEEDS; seed++) {
            var drawn = new Drawn(seed);
            try {
                law.accept(drawn);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ", " + drawn + ": " + e.getMessage(), e);
            }
        }
    }

    @Test
    void the_earliest_start_is_the_first_time_from_which_on_it_is_free_for_so_long() {
        always(it -> {
            Demand demand = it.demand();
            int length = 1 + it.random.nextInt(12);
            long from = it.now + it.random.nextInt(8);
            long expected = from;
            for (long time = from; time < expected + length; time++) {
                expected = it.freeAt(demand, time) ? expected : time + 1;
            }

            assertThat(it.node.earliest(demand, length, from, Node.NEVER, it.clock, it.hours))
                    .isEqualTo(expected);
            long last = from + it.random.nextInt(HORIZON);
            long within = it.node.earliest(demand, length, from, last, it.clock, it.hours);
            assertThat(within <= last ? within : Node.NEVER)
                    .isEqualTo(expected <= last ? expected : Node.NEVER);
        });
    }

    @Test
    void it_can_be_had_until_the_first_time_at_which_it_is_not_free() {
        always(it -> {
            Demand demand = it.demand();
            long expected = it.now;
            while (expected < 3 * HORIZON && it.freeAt(demand, expected)) {
                expected++;
            }
            // Who has nothing now has nothing, though a reservation may be over that ends now.
            boolean now = it.node.fits(demand);

            long until = !now ? it.now : expected == 3 * HORIZON ? Node.NEVER : expected;
            assertThat(it.node.until(demand, it.clock, it.hours)).isEqualTo(until);
            assertThat(new Vacancy(it.node, it.clock).until(demand, it.hours)).isEqualTo(until);
        });
    }

    @Test
    void what_was_found_out_of_it_holds_later_or_is_found_out_anew() {
        always(it -> {
            Demand demand = it.demand();
            it.node.vacancy(it.clock);
            long now = it.now + it.random.nextInt(8);
            var later = new Node.Clock(now, now + it.clock.floor() - it.clock.now());

            assertThat(it.node.vacancy(later).until(demand, it.hours))
                    .isEqualTo(it.node.until(demand, later, it.hours));
        });
    }

    @Test
    void it_can_be_had_for_as_long_by_whom_many_are_asked_for() {
        always(it -> {
            if (it.random.nextBoolean()) {
                int lane = it.random.nextInt(GPUS.length);
                Demand kept = new Demand(0, 0, 1, lane);
                if (it.node.fits(kept)) {
                    long lent = it.now + 1 + it.random.nextInt(HORIZON);
                    it.node.keep(-1, List.of(kept), lent);
                }
            }
            var vacancy = new Vacancy(it.node, it.clock);

            for (int i = 0; i < 10; i++) {
                var tenant = new Tenant(it.random.nextInt(2), it.random.nextInt(4) == 0, -1);
                Demand demand = it.demand().of(tenant);
                long until = it.node.until(demand, it.clock, it.hours);
                assertThat(vacancy.until(demand, it.hours)).isEqualTo(until);
                assertThat(vacancy.untilGpus(demand.gpus())).isGreaterThanOrEqualTo(until);
            }
        });
    }

    @Test
    void what_is_reserved_now_for_some_counts_for_those_alone() {
        always(it -> {
            Demand demand = it.demand();
            LongPredicate some = job -> job % 2 == 0;
            // One that should have ended by now is there until it is taken away.
            it.uses.replaceAll(use ->
                    use.reserved ? new Use(use.job, use.demand, use.from, Node.NEVER, true) : use);

            assertThat(it.node.fitsBeside(demand, it.now, some))
                    .isEqualTo(it.roomAt(demand, it.now, it.clock, some));
        });
    }

    @Test
    void something_changes_next_when_a_run_or_a_reservation_begins_or_ends() {
        always(it -> {
            long next = Node.NEVER;
            for (long gate : it.hours) {
                next = gate > it.now ? Math.min(next, gate) : next;
            }
            for (Use use : it.uses) {
                long end = use.end(it.clock);
                next = end > it.now ? Math.min(next, end) : next;
                next = use.reserved && use.from > it.now ? Math.min(next, use.from) : next;
            }

            assertThat(it.node.nextStep(it.now, it.clock, it.hours)).isEqualTo(next);
        });
    }
}
