package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Layout;
import io.berth.core.engine.FitClass.Size;
import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Expected;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Unplanned.Cause;
import io.berth.core.engine.Waiting.Association;
import io.berth.core.engine.Waiting.Entry;
import io.berth.core.engine.Waiting.Rank;
import io.berth.core.packing.Policies;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Why a job has no expected start. Nodes have 8 GPUs; jobs want all of each for half an hour.
final class UnplannedTest {

    private static final long HOUR = 3_600_000;
    private static final Demand WHOLE = new Demand(8, 1024, 8, 0);
    private static final Demand ALL_MEMORY = new Demand(1, 65_536, 0, -1);
    private static final int[] NO_LICENSES = {};

    private static final class Cell extends Unlimited {

        final Scheduling engine;
        private boolean limited;
        private List<Drain> drains = List.of();
        private long others = 100_000;

        Cell(int nodes) {
            this(nodes, 500);
        }

        /// @param depth how many jobs have an expected start
        Cell(int nodes, int depth) {
            var settings = new Settings(Backfill.CONSERVATIVE, depth, Policies.TIGHTEST);
            var kinds = List.of(new Kind(64, 65_536, 8));
            engine =
                    new Scheduling(
                            new Cluster(kinds, new int[nodes], Network.FLAT),
                            settings,
                            Preemption.DEFAULT,
                            1);
        }

        /// That is held on a node until then.
        Cell run(long job, int node, Demand held, double hours) {
            engine.run(job, new int[] {node}, new Demand[] {held}, at(hours), null);
            return this;
        }

        /// A whole node is kept for somebody.
        void keep(int node, double from, double until) {
            Demand[] all = {WHOLE};
            engine.cluster.reserve(others++, new int[] {node}, all, at(from), at(until));
        }

        /// Two nodes of which one or the other is kept, an hour each.
        static Cell inTurn(int hours) {
            var cell = new Cell(2);
            for (int hour = 0; hour < hours; hour++) {
                cell.keep(hour % 2, hour, hour + 1);
            }
            return cell;
        }

        /// A node and the license of which one or the other is kept, an hour each.
        static Cell nodeAndLicense() {
            var cell = new Cell(1);
            int[] license = {1};
            for (int hour = 0; hour < 140; hour += 2) {
                cell.keep(0, hour, hour + 1);
                cell.engine.pools.reserve(cell.others++, license, at(hour + 1), at(hour + 2));
            }
            return cell;
        }

        /// @param hours before which it must have started
        /// @param pools what it wants of the one license
        Cell waits(long job, int nodes, double hours, boolean plans, int... pools) {
            List<@Nullable Demand> on = List.of(WHOLE);
            return waits(job, engine.fitClass(terms(new Size(nodes, on), hours, plans, pools)));
        }

        /// For GPUs that are divided anew.
        Cell waitsForDivision(long job, double hours, int... pools) {
            var nowhere = new Size(1, Collections.singletonList(null));
            return waits(job, engine.fitClass(terms(nowhere, hours, true, pools), true));
        }

        private static Terms terms(Size size, double hours, boolean plans, int... pools) {
            return new Terms(
                    0,
                    0,
                    List.of(size),
                    null,
                    0,
                    Network.LEAVES,
                    null,
                    new Hours(new long[0][], at(hours)),
                    pools,
                    plans,
                    List.of(),
                    Layout.ANY);
        }

        private Cell waits(long job, FitClass fit) {
            return waits(job, fit, Node.NEVER);
        }

        /// @param before when it ends if it has not started
        private Cell waits(long job, FitClass fit, long before) {
            var entry = new Entry(0, fit, new Rank(-job, 0, 0, job, 0));
            engine.wait(job, List.of(entry), engine.association(0), HOUR / 2, 0, before);
            return this;
        }

        /// For nodes, or for the division of one, until it ends.
        Cell expires(long job, int nodes, double hours) {
            List<@Nullable Demand> on = Collections.singletonList(nodes == 0 ? null : WHOLE);
            var size = new Size(Math.max(1, nodes), on);
            FitClass fit = engine.fitClass(terms(size, 1000, true, NO_LICENSES), nodes == 0);
            return waits(job, fit, at(hours));
        }

        /// Jobs of one node each that start together, and end after so many hours.
        Cell expireTogether(double... hours) {
            List<@Nullable Demand> on = List.of(WHOLE);
            FitClass fit = engine.fitClass(new Terms(0, 0, 1, 0, on, on, null, 0));
            for (int at = 0; at < hours.length; at++) {
                var rank = new Rank(0, 0, 0, at, 0);
                Association one = engine.association(0);
                long last = at(hours[at]);
                engine.waitTogether(1 + at, fit, one, rank, HOUR / 2, 1, hours.length, last);
            }
            return this;
        }

        @Nullable Long start(long job) {
            Expected expected = engine.expected(job);
            return expected == null ? null : expected.start();
        }

        Cell waits(long job, int nodes, double hours) {
            return waits(job, nodes, hours, true, NO_LICENSES);
        }

        Cell pass() {
            engine.startPass(0, this);
            return this;
        }

        Unplanned why(long job) {
            return Objects.requireNonNull(new Outlook(engine).unplanned(job, 0, 0, this));
        }

        Cause cause(long job) {
            return why(job).cause();
        }

        private static long at(double hours) {
            return (long) (hours * HOUR);
        }

        @Override
        public boolean admits(Waiting job) {
            return !limited;
        }

        @Override
        public List<Drain> drains(Waiting job, List<Long> beside, long before) {
            return drains;
        }
    }

    @Test
    void a_gang_whose_nodes_are_free_in_turn_is_expected_when_they_are_free_together() {
        Cell cell = Cell.inTurn(60).waits(1, 2, 1000).pass();

        assertThat(Objects.requireNonNull(cell.engine.expected(1)).start()).isEqualTo(60 * HOUR);
        assertThat(new Outlook(cell.engine).unplanned(1, 0, 0, cell)).isNull();
    }

    @Test
    void a_search_that_stops_after_its_moments_has_given_up() {
        Cell cell = Cell.inTurn(80).waits(1, 2, 1000).pass();

        assertThat(cell.engine.expected(1)).isNull();
        assertThat(cell.why(1)).isEqualTo(new Unplanned(Cause.SEARCH, 64));
    }

    @ParameterizedTest
    @CsvSource({"64, NEVER", "66, SEARCH"})
    void it_has_not_given_up_where_the_last_moment_was_the_last_at_which_the_job_may_start(
            double hours, Cause cause) {
        assertThat(Cell.inTurn(80).waits(1, 2, hours).pass().cause(1)).isEqualTo(cause);
    }

    /// The first nodes have GPUs, and no memory for ten hours; the others have all in two hours.
    @ParameterizedTest
    @CsvSource({
        "1, 512, 2, SEARCH",
        "2, 512, 2, SEARCH",
        "1, 512, 0, NEVER",
        "2, 512, 0, NEVER",
        "1, 511, 1, PLAN",
        "2, 510, 2, PLAN"
    })
    void a_search_that_stops_after_its_nodes_has_given_up_if_there_are_others(
            int parts, int without, int others, Cause cause) {
        var cell = new Cell(without + others, 1);
        for (int node = 0; node < without; node++) {
            cell.run(1000 + node, node, ALL_MEMORY, 10);
        }
        for (int node = without; node < without + others; node++) {
            cell.run(1000 + node, node, WHOLE, 2);
        }
        cell.waits(1, parts, 5);

        assertThat(cell.cause(1)).isEqualTo(cause);
    }

    @Test
    void a_job_that_waits_for_nodes_and_licenses_in_turn_has_given_up_too() {
        Cell cell = Cell.nodeAndLicense();
        cell.waits(1, 1, 1000, true, 1);
        cell.waits(2, 1, 100, true, 1);

        assertThat(cell.why(1)).isEqualTo(new Unplanned(Cause.SEARCH, 64));
        assertThat(cell.cause(2)).isEqualTo(Cause.NEVER);
    }

    @Test
    void so_has_one_that_waits_for_a_division_and_licenses_in_turn() {
        Cell cell = Cell.nodeAndLicense();
        cell.drains = List.of(new Drain(0, List.of(), WHOLE, 0));
        cell.waitsForDivision(1, 1000, 1);
        cell.waitsForDivision(2, 100, 1);

        assertThat(cell.why(1)).isEqualTo(new Unplanned(Cause.SEARCH, 64));
        assertThat(cell.cause(2)).isEqualTo(Cause.NEVER);
    }

    @ParameterizedTest
    @CsvSource({"63, NEVER", "64, SEARCH"})
    void so_many_choices_of_gpus_to_be_divided_are_looked_at(int choices, Cause cause) {
        Cell cell = new Cell(1).waitsForDivision(1, 1000);
        cell.engine.open(0, false);
        cell.drains = Collections.nCopies(choices, new Drain(0, List.of(), WHOLE, 0));

        assertThat(cell.cause(1)).isEqualTo(cause);
    }

    @Test
    void a_job_for_which_a_start_is_found_waits_for_a_plan_that_is_full() {
        Cell cell = new Cell(2, 1).run(9, 0, WHOLE, 1).waits(1, 2, 1000).waits(2, 2, 1000).pass();

        assertThat(cell.engine.planned()).containsExactly(1L);
        assertThat(cell.why(2)).isEqualTo(new Unplanned(Cause.PLAN, 1));
    }

    @Test
    void a_job_that_must_have_started_before_room_comes_free_never_can() {
        Cell cell = new Cell(2).run(9, 0, WHOLE, 5).waits(1, 2, 4).pass();

        assertThat(cell.why(1)).isEqualTo(new Unplanned(Cause.NEVER, 0));
    }

    /// A node is free, the other one for two hours not. What wants both may start until it ends.
    @ParameterizedTest
    @CsvSource({"1, 2, 2.0001, ", "1, 2, 2, DEADLINE", "2, 2, 1, DEADLINE", "1, 1, 1, "})
    void a_job_that_ends_before_room_comes_free_is_told_so(
            int parts, int busy, double hours, @Nullable Cause cause) {
        Cell cell = new Cell(2).run(9, 0, WHOLE, 2);
        for (int node = 1; node < busy; node++) {
            cell.run(9 + node, node, WHOLE, 2);
        }
        cell.expires(1, parts, hours).pass();

        if (cause == null) {
            assertThat(new Outlook(cell.engine).unplanned(1, 0, 0, cell)).isNull();
        } else {
            assertThat(cell.start(1)).isNull();
            assertThat(cell.why(1)).isEqualTo(new Unplanned(cause, 0));
        }
    }

    @Test
    void a_job_that_ends_before_room_comes_free_keeps_nothing_from_those_behind() {
        Cell cell = new Cell(2).run(9, 0, WHOLE, 2).expires(1, 2, 1).waits(2, 1, 1000);

        cell.pass();

        assertThat(cell.start(1)).isNull();
        assertThat(cell.engine.nodesOf(1)).isEmpty();
        assertThat(cell.engine.nodesOf(2)).containsExactly(1);
        assertThat(cell.engine.waiting(2, 0)).isNull();
    }

    /// It would last half an hour, beyond the expected start of the one behind it.
    @ParameterizedTest
    @ValueSource(ints = {500, 1})
    void a_job_that_ends_before_there_was_to_be_room_has_its_turn_when_room_comes_early(int depth) {
        Cell cell = new Cell(1, depth).run(9, 0, WHOLE, 0.6).expires(1, 1, 0.5).waits(2, 1, 1000);
        cell.pass();
        assertThat(cell.start(1)).isNull();
        assertThat(cell.start(2)).isEqualTo(Cell.at(0.6));
        cell.engine.forget(9);

        cell.engine.startPass(HOUR / 5, cell);

        assertThat(cell.engine.waiting(1, 0)).isNull();
        assertThat(cell.engine.waiting(2, 0)).isNotNull();
        assertThat(cell.engine.stale()).isTrue();
        assertThat(cell.start(2)).isEqualTo(Cell.at(0.7) + Scheduling.SLACK_MILLIS);
    }

    @Test
    void no_more_that_end_too_soon_are_looked_for_than_the_plan_has_place_for() {
        Cell cell = new Cell(1, 2).run(9, 0, WHOLE, 2);
        cell.expires(1, 1, 1).expires(2, 1, 1).expires(3, 1, 5).waits(4, 1, 1000).pass();

        assertThat(cell.start(4)).isEqualTo(2 * HOUR);
        assertThat(cell.cause(2)).isEqualTo(Cause.DEADLINE);
        assertThat(cell.why(3)).isEqualTo(new Unplanned(Cause.PLAN, 1));
    }

    @ParameterizedTest
    @CsvSource({"1, DEADLINE", "2, DEADLINE", "3, PLAN"})
    void the_same_holds_of_gpus_that_are_divided_only_then(double hours, Cause cause) {
        Cell cell = new Cell(1).run(9, 0, WHOLE, 2).expires(1, 0, hours);
        cell.drains = List.of(new Drain(0, List.of(), WHOLE, 0));

        assertThat(cell.cause(1)).isEqualTo(cause);
    }

    @Test
    void jobs_that_start_together_do_before_the_first_of_them_ends() {
        Cell cell = new Cell(2).run(9, 0, WHOLE, 2);

        assertThat(cell.expireTogether(5, 2).pass().why(1)).isEqualTo(why(Cause.DEADLINE));
        assertThat(cell.why(2)).isEqualTo(why(Cause.DEADLINE));
        assertThat(cell.expireTogether(5, 3).pass().start(1)).isEqualTo(2 * HOUR);
    }

    private static Unplanned why(Cause cause) {
        return new Unplanned(cause, 0);
    }

    @Test
    void a_job_that_no_nodes_hold_never_can() {
        assertThat(new Cell(2).waits(1, 3, 1000).pass().cause(1)).isEqualTo(Cause.NEVER);
    }

    @Test
    void a_job_whose_qos_gives_none_and_one_of_which_limits_do_not_tell_say_so() {
        Cell cell = new Cell(2).run(9, 0, WHOLE, 1);
        cell.waits(1, 2, 1000, false, NO_LICENSES).waits(2, 2, 1000);
        cell.limited = true;

        assertThat(cell.cause(1)).isEqualTo(Cause.NO_RESERVE);
        assertThat(cell.cause(2)).isEqualTo(Cause.LIMITS);
    }

    /// Each component finds a node at any time, and both when the nodes are free together.
    @ParameterizedTest
    @CsvSource({"10, , 0", "40, SEARCH, 16"})
    void a_set_has_a_bound_of_its_own(int hours, @Nullable Cause cause, int moments) {
        Cell cell = Cell.inTurn(hours);
        List<@Nullable Demand> on = List.of(WHOLE);
        for (long job = 1; job <= 2; job++) {
            FitClass fit = cell.engine.fitClass(new Terms(0, 0, 1, 0, on, on, null, 0));
            var rank = new Rank(0, 0, 0, job, 0);
            cell.engine.waitTogether(
                    job, fit, cell.engine.association(0), rank, HOUR / 2, 1, 2, Node.NEVER);
        }
        cell.pass();

        var outlook = new Outlook(cell.engine);
        var why = cause == null ? null : new Unplanned(cause, moments);
        assertThat(outlook.unplanned(1, 0, 0, cell)).isEqualTo(why);
        assertThat(outlook.unplanned(2, 0, 0, cell)).isEqualTo(why);
    }

    @Test
    void a_look_changes_nothing() {
        Cell cell = Cell.inTurn(80).waits(1, 2, 1000).waits(2, 1, 1000).pass();
        List<Long> planned = cell.engine.planned();
        cell.engine.cluster.settle();

        cell.why(1);

        assertThat(cell.engine.cluster.settle().cardinality()).isZero();
        assertThat(cell.engine.planned()).isEqualTo(planned);
        assertThat(cell.engine.expected(1)).isNull();
    }
}
