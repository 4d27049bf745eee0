package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.RunReport;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.BuiltNode;
import io.berth.core.testing.TestCell;
import io.berth.core.testing.TestPartition;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What holds of jobs that must lie somewhere on a node, over seeded random cells: nodes of eight
/// GPUs, four on each of two sockets, in boards of two, four or eight whose GPUs are linked. In
/// some the jobs of a partition have only so many CPUs of each socket; in others two GPUs of each
/// socket are of one type and two of another.
final class SeatsLawsTest {

    private static final int SEEDS = Integer.getInteger("berth.laws.seeds", 20);

    private enum Kind {
        ANYWHERE,
        ISLAND,
        SOCKETS
    }

    /// @param bounded whether it is in the partition that has only so many CPUs of each socket
    private static String type(int gpu) {
        return gpu % 2 == 0 ? "a100" : "v100";
    }

    /// @param gpus in all, or of each of two sockets
    /// @param types how many of them are of each; empty where all are of one type
    private record Wanted(
            boolean bounded,
            Kind kind,
            int gpus,
            Map<String, Integer> types,
            int cpus,
            long limit) {

        static Wanted random(Random random, boolean mixed) {
            return mixed ? mixed(random) : alike(random);
        }

        private static Wanted mixed(Random random) {
            boolean sockets = random.nextBoolean();
            int some = 1 + random.nextInt(2);
            int others = 1 + random.nextInt(2);
            return new Wanted(
                    random.nextInt(3) > 0,
                    sockets ? Kind.SOCKETS : Kind.ANYWHERE,
                    sockets ? some + others : some,
                    sockets ? Map.of("a100", some, "v100", others) : Map.of(type(others), some),
                    2 + random.nextInt(5),
                    60L * (1 + random.nextInt(20)));
        }

        private static Wanted alike(Random random) {
            Kind kind = Kind.values()[random.nextInt(3)];
            int gpus = random.nextInt(kind == Kind.SOCKETS ? 4 : 5) + 1;
            return new Wanted(
                    random.nextInt(3) > 0,
                    kind,
                    gpus,
                    Map.of(),
                    2 + random.nextInt(5),
                    60L * (1 + random.nextInt(20)));
        }

        JobDescription job() {
            JobDescription job = TestCell.job(request(), limit);
            return bounded ? job : job.in("pair");
        }

        ResourceRequest request() {
            int sockets = kind == Kind.SOCKETS ? 2 : 1;
            Integer perSocket = kind == Kind.SOCKETS ? gpus : null;
            var ofAny = new GpuRequest(sockets * gpus, null, null, null, perSocket, null);
            var ofNode = new TreeMap<>(types);
            ofNode.replaceAll((_, count) -> sockets * count);
            var request =
                    new ResourceRequest(
                            1,
                            1,
                            cpus,
                            MemoryRequest.perNode(100),
                            types.isEmpty() ? ofAny : ofAny.of(ofNode));
            return kind == Kind.ISLAND
                    ? request.on(NodeConstraints.NONE.inBlocks(null, true))
                    : request;
        }

        /// By trying all sets.
        ///
        /// @param left how many CPUs of each socket its partition may still have
        boolean fits(BitSet freeGpus, BitSet freeCpus, int[] left, int onBoard) {
            int first = Math.min(left[0], freeCpus.get(0, 8).cardinality());
            int second = Math.min(left[1], freeCpus.get(8, 16).cardinality());
            if (first + second < cpus
                    || freeGpus.cardinality() < request().gpusOn(0)
                    || (kind == Kind.SOCKETS && (first == 0 || second == 0))) {
                return false;
            }
            for (int set = 0; set < 1 << 8; set++) {
                var chosen = BitSet.valueOf(new long[] {set});
                var missing = (BitSet) chosen.clone();
                missing.andNot(freeGpus);
                if (missing.isEmpty() && good(chosen, onBoard)) {
                    return true;
                }
            }
            return false;
        }

        boolean good(BitSet chosen, int onBoard) {
            return switch (kind) {
                case ANYWHERE -> has(chosen, 0, 8);
                case SOCKETS -> has(chosen, 0, 4) && has(chosen, 4, 8);
                case ISLAND ->
                        chosen.cardinality() == gpus
                                && (chosen.length() - 1) / onBoard
                                        == chosen.nextSetBit(0) / onBoard;
            };
        }

        private boolean has(BitSet chosen, int from, int to) {
            var found = new TreeMap<String, Integer>();
            chosen.stream()
                    .filter(gpu -> gpu >= from && gpu < to)
                    .forEach(gpu -> found.merge(types.isEmpty() ? "" : type(gpu), 1, Integer::sum));
            return found.equals(types.isEmpty() ? Map.of("", gpus) : types);
        }
    }

    private static void always(boolean mixed, Consumer<World> law) {
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                law.accept(new World(seed, mixed));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everybody_lies_where_he_must_and_no_expected_start_comes_later(boolean mixed) {
        always(mixed, World::keepsItsWord);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void the_first_that_waits_is_expected_as_soon_as_its_places_are_free(boolean mixed) {
        always(mixed, World::findsTheFirstPlace);
    }

    /// A cell, and what its jobs want.
    private static final class World {

        private final Random random;
        private final TestCell cell = new TestCell();
        private final TreeMap<Long, Wanted> jobs = new TreeMap<>();
        private final int onBoard;

        /// Whether GPUs are of two types in turn.
        private final boolean mixed;

        /// CPUs of a socket that those of the bounded partition have together.
        private final int most;

        World(long seed, boolean mixed) {
            random = new Random(seed);
            this.mixed = mixed;
            onBoard = 2 << random.nextInt(3);
            boolean bounded = random.nextBoolean();
            most = bounded ? 3 + random.nextInt(4) : 8;
            if (bounded) {
                TestPartition.change(
                        cell, "batch", TestPartition.used(it -> it.maxCpusPerSocket = most));
            }
        }

        private void nodes(int count) {
            for (int node = 1; node <= count; node++) {
                cell.take(
                        new Input.Registered(
                                BuiltNode.of(
                                        "n" + node,
                                        2,
                                        BuiltNode.boards(8, onBoard),
                                        IntStream.range(0, 8)
                                                .mapToObj(gpu -> mixed ? type(gpu) : "v100")
                                                .toList(),
                                        0,
                                        0,
                                        0,
                                        0,
                                        1,
                                        1,
                                        1,
                                        1)));
            }
        }

        private void submit(Wanted wanted) {
            long id = jobs.size() + 1L;
            jobs.put(id, wanted);
            cell.submit(id, wanted.job());
        }

        private Wanted wanted(long id) {
            return Objects.requireNonNull(jobs.get(id));
        }

        private List<Allocation> running(long id) {
            JobStatus job = cell.state.job(new JobId(id)).orElse(null);
            JobStatus.Run run = job == null ? null : job.run();
            return run == null ? List.of() : run.allocations();
        }

        private void end(long id) {
            String node = running(id).getFirst().node().value();
            cell.ended(id, 1, node, RunReport.Cause.EXITED, 0);
        }

        private static BitSet gpus(Allocation allocation) {
            var gpus = new BitSet();
            allocation
                    .gpus()
                    .forEach(it -> gpus.set(Integer.parseInt(it.substring(it.length() - 1))));
            return gpus;
        }

        /// What is free on a node without the runs that have ended by then.
        private boolean fits(Wanted wanted, String node, long at) {
            var gpus = new BitSet();
            var cpus = new BitSet();
            gpus.set(0, 8);
            cpus.set(0, 16);
            int[] left = {wanted.bounded() ? most : 8, wanted.bounded() ? most : 8};
            for (long id : jobs.keySet()) {
                for (Allocation it : running(id)) {
                    if (it.node().value().equals(node) && end(id, at) > at) {
                        gpus.andNot(gpus(it));
                        cpus.andNot(it.cpus().toBitSet());
                        take(left, it, wanted.bounded() && wanted(id).bounded());
                    }
                }
            }
            return wanted.fits(gpus, cpus, left, onBoard);
        }

        private static void take(int[] left, Allocation by, boolean shared) {
            for (int socket = 0; socket < 2 && shared; socket++) {
                left[socket] -= onSocket(by, socket);
            }
        }

        private static int onSocket(Allocation it, int socket) {
            return it.cpus().toBitSet().get(8 * socket, 8 * socket + 8).cardinality();
        }

        private void nobodyHasMoreOfASocket() {
            var had = new TreeMap<String, int[]>();
            for (long id : jobs.keySet()) {
                for (Allocation it : wanted(id).bounded() ? running(id) : List.<Allocation>of()) {
                    int[] its = had.computeIfAbsent(it.node().value(), _ -> new int[2]);
                    its[0] += onSocket(it, 0);
                    its[1] += onSocket(it, 1);
                }
            }
            had.forEach((node, its) -> {
                assertThat(its[0]).as("CPUs of socket 0 of %s", node).isLessThanOrEqualTo(most);
                assertThat(its[1]).as("CPUs of socket 1 of %s", node).isLessThanOrEqualTo(most);
            });
        }

        private long end(long id, long now) {
            JobStatus.Run run = cell.job(id).run();
            return run == null
                    ? now
                    : Scheduling.latestEnd(run.placedAt(), wanted(id).limit() * 1000);
        }

        /// One pass, and another where the order of the plan asks for it.
        private void place() {
            var placement = new Placement(cell.state, Settings.DEFAULT);
            pass(placement, Pass.START);
            if (placement.stale()) {
                pass(placement, Pass.PLAN);
            }
        }

        private void pass(Placement placement, Pass pass) {
            for (Fact fact : Engine.place(cell.state, placement, cell.now, pass)) {
                cell.state.replay(fact);
                placement.note(fact);
            }
        }

        /// When the next run must have ended or the next job is expected to start.
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
            nodes(1 + random.nextInt(2));
            var expected = new TreeMap<Long, Long>();
            for (int step = 0; step < 60; step++) {
                long event = nextEvent();
                long later = cell.now + 1000L * random.nextInt(240);
                cell.now = Math.min(event, later);
                for (int i = event < later ? 0 : random.nextInt(4); i > 0; i--) {
                    submit(Wanted.random(random, mixed));
                }
                for (long id : List.copyOf(jobs.keySet())) {
                    boolean over = !running(id).isEmpty() && end(id, cell.now) <= cell.now;
                    if (over || (!running(id).isEmpty() && random.nextInt(8) == 0)) {
                        end(id);
                    }
                }
                place();
                nobodyHasMoreOfASocket();
                for (long id : jobs.keySet()) {
                    running(id)
                            .forEach(it ->
                                    assertThat(wanted(id).good(gpus(it), onBoard))
                                            .as("job %s: %s on %s", id, jobs.get(id), it)
                                            .isTrue());
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
        }

        private void findsTheFirstPlace() {
            nodes(1);
            for (int i = 0; i < 8; i++) {
                boolean bounded = random.nextBoolean();
                int gpus = 1 + random.nextInt(2);
                submit(
                        new Wanted(
                                bounded,
                                Kind.ANYWHERE,
                                gpus,
                                mixed ? Map.of(type(i), gpus) : Map.of(),
                                1 + random.nextInt(2),
                                60L * (1 + random.nextInt(20))));
            }
            cell.round();
            for (long id : List.copyOf(jobs.keySet())) {
                if (running(id).isEmpty()) {
                    cell.cancel(id);
                } else if (random.nextInt(3) == 0) {
                    end(id);
                }
            }
            var wanted = Wanted.random(random, mixed);
            submit(wanted);
            long id = jobs.lastKey();
            cell.round();

            var times = new ArrayList<>(List.of(cell.now));
            for (long other : jobs.keySet()) {
                if (other != id && !running(other).isEmpty()) {
                    times.add(end(other, cell.now));
                }
            }
            jobs.remove(id);
            Long first = null;
            for (long time : times.stream().sorted().toList()) {
                first = first == null && fits(wanted, "n1", time) ? (Long) time : first;
            }
            JobStatus job = cell.job(id);
            Planned plan = job.planned();
            if (first == null) {
                assertThat(plan).isNull();
            } else if (first == cell.now) {
                assertThat(job.run()).as("job %s", wanted).isNotNull();
            } else {
                assertThat(plan).as("job %s", wanted).isNotNull();
                assertThat(plan == null ? 0 : plan.start()).as("job %s", wanted).isEqualTo(first);
            }
        }
    }
}
