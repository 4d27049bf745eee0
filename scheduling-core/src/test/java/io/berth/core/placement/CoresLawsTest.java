package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Hardware;
import io.berth.contracts.Hardware.NumaNode;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.NodeShape;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.RunReport;
import io.berth.core.engine.Scheduling;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What holds of jobs that get whole cores, over seeded random cells: nodes with one, two or four
/// threads a core, numbered in any way, of which some may be set aside.
final class CoresLawsTest {

    private static final int SEEDS = Integer.getInteger("berth.laws.seeds", 20);

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
    void no_two_jobs_share_a_core_and_each_has_as_few_as_hold_it() {
        always(World::sharesNoCore);
    }

    @Test
    void who_was_placed_before_keeps_what_he_has_and_nobody_joins_him_on_a_core() {
        always(World::joinsNobody);
    }

    @Test
    void the_first_that_waits_is_expected_as_soon_as_enough_cores_are_free() {
        always(World::findsTheFirstPlace);
    }

    /// @param coreOf of each CPU its core
    private record Machine(NodeName name, List<Integer> coreOf, int sockets, int gpus) {

        static Machine random(Random random, int number) {
            int threads = 1 << random.nextInt(3);
            int sockets = 1 + random.nextInt(2);
            int cores = sockets * (1 + random.nextInt(4));
            var all = new ArrayList<Integer>();
            switch (random.nextInt(3)) {
                case 0 -> IntStream.range(0, cores * threads).forEach(it -> all.add(it / threads));
                case 1 -> IntStream.range(0, cores * threads).forEach(it -> all.add(it % cores));
                default -> {
                    IntStream.range(0, cores * threads).forEach(it -> all.add(it % cores));
                    Collections.shuffle(all, random);
                }
            }
            for (int aside = random.nextInt(3); aside > 0 && all.size() > cores; aside--) {
                all.remove(random.nextInt(all.size()));
            }
            return new Machine(new NodeName("n" + number), all, sockets, random.nextInt(5));
        }

        private int threads() {
            return new TreeSet<>(coreOf)
                    .stream().mapToInt(core -> Collections.frequency(coreOf, core)).max().orElse(1);
        }

        /// By trying each: the CPUs of the cores that are whole, and of which nobody has any.
        BitSet free(BitSet held) {
            var free = new BitSet();
            for (int core : new TreeSet<>(coreOf)) {
                var its = of(core);
                if (its.cardinality() == threads() && !its.intersects(held)) {
                    free.or(its);
                }
            }
            return free;
        }

        private BitSet of(int core) {
            var its = new BitSet();
            IntStream.range(0, coreOf.size())
                    .filter(cpu -> coreOf.get(cpu) == core)
                    .forEach(its::set);
            return its;
        }

        int round(int cpus) {
            return (cpus + threads() - 1) / threads() * threads();
        }

        BitSet coresOf(IndexSet cpus) {
            var cores = new BitSet();
            cpus.toBitSet().stream().forEach(cpu -> cores.set(coreOf.get(cpu)));
            return cores;
        }

        NodeSeen seen() {
            int cpus = coreOf.size();
            List<NumaNode> numa =
                    IntStream.range(0, sockets)
                            .mapToObj(socket ->
                                    new NumaNode(socket, IndexSet.of(onSocket(socket)), 16_384))
                            .toList();
            List<Gpu> all =
                    IntStream.range(0, gpus)
                            .mapToObj(i ->
                                    new Gpu(
                                            i,
                                            "GPU-" + name + "-" + i,
                                            "v100",
                                            "V100",
                                            i,
                                            32_768,
                                            i % sockets))
                            .toList();
            var inventory =
                    new Inventory(
                            sockets,
                            1,
                            threads(),
                            cpus,
                            32_768,
                            all,
                            List.of(),
                            false,
                            null,
                            "linux",
                            "x86_64",
                            null,
                            new Hardware(numa, List.of(), 0, List.of(), List.of(), null, coreOf));
            return new NodeSeen(
                    name,
                    "nonce-" + name,
                    "machine-" + name,
                    "boot",
                    "test",
                    inventory,
                    List.of(),
                    0);
        }

        private BitSet onSocket(int socket) {
            var its = new BitSet();
            for (int core : new TreeSet<>(coreOf)) {
                if (core % sockets == socket) {
                    its.or(of(core));
                }
            }
            return its;
        }
    }

    /// @param tasksPerSocket null is any number
    /// @param threadsUsed of each core; null is all
    private record Wanted(
            int nodes,
            int tasks,
            int cpusPerTask,
            int gpus,
            Sharing sharing,
            @Nullable Integer tasksPerSocket,
            @Nullable Integer threadsUsed,
            long limit) {

        static Wanted random(Random random) {
            int nodes = random.nextInt(6) == 0 ? 2 : 1;
            boolean bySocket = random.nextInt(5) == 0;
            return new Wanted(
                    nodes,
                    nodes * ((bySocket ? 2 : 1) + random.nextInt(3)),
                    1 + random.nextInt(3),
                    random.nextInt(3),
                    random.nextInt(8) == 0 ? Sharing.NODE : Sharing.SHARED,
                    bySocket ? (Integer) (1 + random.nextInt(2)) : null,
                    random.nextInt(4) == 0 ? (Integer) (1 + random.nextInt(2)) : null,
                    60L * (1 + random.nextInt(20)));
        }

        ResourceRequest request() {
            var request =
                    new ResourceRequest(
                            nodes,
                            tasks,
                            cpusPerTask,
                            MemoryRequest.perNode(100),
                            new GpuRequest(gpus, null));
            var shape = new NodeShape(0, 0, 0, null, tasksPerSocket, threadsUsed);
            return request.on(
                    new NodeConstraints(
                            null,
                            List.of(),
                            List.of(),
                            tasksPerSocket == null ? sharing : Sharing.SHARED,
                            null,
                            null,
                            shape,
                            null));
        }

        int cpusOn(Machine node, int part) {
            int together = request().tasksOn(part) * cpusPerTask;
            return tasksPerSocket == null
                    ? node.round(thin(node, together))
                    : request().tasksOn(part) * node.round(thin(node, cpusPerTask));
        }

        /// The threads of the cores that so many CPUs are of, where not all of them are used.
        private int thin(Machine node, int cpus) {
            int used = threadsUsed == null ? node.threads() : Math.min(threadsUsed, node.threads());
            return (cpus + used - 1) / used * node.threads();
        }

        boolean whole() {
            return tasksPerSocket == null && sharing == Sharing.NODE;
        }
    }

    private static final class World {

        private final Random random;
        private final TestCell cell = new TestCell();
        private final TreeMap<NodeName, Machine> machines = new TreeMap<>();
        private final TreeMap<Long, Wanted> jobs = new TreeMap<>();

        /// Those placed while CPUs were given out one by one.
        private final TreeSet<Long> before = new TreeSet<>();

        World(long seed) {
            random = new Random(seed);
        }

        private void nodes(int count) {
            for (int number = 1; number <= count; number++) {
                var machine = Machine.random(random, number);
                machines.put(machine.name(), machine);
                cell.take(new Input.Registered(machine.seen()));
            }
        }

        private void submit(Wanted wanted) {
            long id = jobs.size() + 1L;
            jobs.put(id, wanted);
            cell.submit(id, TestCell.job(wanted.request(), wanted.limit()));
        }

        private Wanted wanted(long id) {
            return Objects.requireNonNull(jobs.get(id));
        }

        private Machine machine(Allocation allocation) {
            return Objects.requireNonNull(machines.get(allocation.node()));
        }

        private List<Allocation> running(long id) {
            JobStatus job = cell.state.job(new JobId(id)).orElse(null);
            JobStatus.Run run = job == null ? null : job.run();
            return run == null ? List.of() : run.allocations();
        }

        private void end(long id) {
            running(id)
                    .forEach(it -> cell.ended(id, 1, it.node().value(), RunReport.Cause.EXITED, 0));
        }

        private long endOf(long id) {
            JobStatus.Run run = Objects.requireNonNull(cell.job(id).run());
            return Scheduling.latestEnd(run.placedAt(), wanted(id).limit() * 1000);
        }

        private void sharesNoCore() {
            wholeCores(cell);
            nodes(1 + random.nextInt(3));
            goOn(40);
        }

        private void joinsNobody() {
            nodes(1 + random.nextInt(3));
            for (int i = 0; i < 6; i++) {
                submit(Wanted.random(random));
            }
            cell.round();
            jobs.keySet().stream().filter(id -> !running(id).isEmpty()).forEach(before::add);
            wholeCores(cell);
            goOn(20);
        }

        private void goOn(int steps) {
            for (int step = 0; step < steps; step++) {
                cell.now += 1000L * random.nextInt(240);
                for (int i = random.nextInt(4); i > 0; i--) {
                    submit(Wanted.random(random));
                }
                for (long id : List.copyOf(jobs.keySet())) {
                    if (!running(id).isEmpty()
                            && (endOf(id) <= cell.now || random.nextInt(6) == 0)) {
                        end(id);
                    }
                }
                cell.round();
                check();
            }
        }

        private void check() {
            var held = new TreeMap<NodeName, BitSet>();
            for (long id : jobs.keySet()) {
                boolean old = before.contains(id);
                for (Allocation it : old ? running(id) : List.<Allocation>of()) {
                    held.computeIfAbsent(it.node(), _ -> new BitSet())
                            .or(machine(it).coresOf(it.cpus()));
                }
            }
            for (long id : jobs.keySet()) {
                for (Allocation it : before.contains(id) ? List.<Allocation>of() : running(id)) {
                    Machine node = machine(it);
                    BitSet cores = node.coresOf(it.cpus());
                    BitSet others = held.computeIfAbsent(it.node(), _ -> new BitSet());
                    assertThat(others.intersects(cores)).as("job %s: %s", id, it).isFalse();
                    others.or(cores);
                    int cpus =
                            wanted(id).whole()
                                    ? node.coreOf().size()
                                    : wanted(id).cpusOn(node, it.index());
                    Integer most = wanted(id).tasksPerSocket();
                    int each = node.round(wanted(id).cpusPerTask());
                    for (int socket = 0; most != null && socket < node.sockets(); socket++) {
                        BitSet there = node.onSocket(socket);
                        there.and(it.cpus().toBitSet());
                        assertThat(there.cardinality() % each).as("job %s: %s", id, it).isZero();
                        assertThat(there.cardinality())
                                .as("job %s: %s", id, it)
                                .isLessThanOrEqualTo(most * each);
                    }
                    assertThat(it.cpus().size())
                            .as("job %s: %s on %s", id, it, node)
                            .isEqualTo(cpus);
                }
            }
        }

        /// Whether a node has room for a job of one node without the runs that have ended by then.
        private boolean fits(Wanted wanted, Machine node, long at) {
            var cpus = new BitSet();
            int gpus = node.gpus();
            boolean empty = true;
            for (long id : jobs.keySet()) {
                for (Allocation it : running(id)) {
                    if (it.node().equals(node.name()) && endOf(id) > at) {
                        cpus.or(it.cpus().toBitSet());
                        gpus -= it.gpus().size();
                        empty = false;
                    }
                }
            }
            return (empty || !wanted.whole())
                    && node.free(cpus).cardinality() >= wanted.cpusOn(node, 0)
                    && gpus >= wanted.gpus();
        }

        private void findsTheFirstPlace() {
            wholeCores(cell);
            nodes(1 + random.nextInt(2));
            for (int i = 0; i < 10; i++) {
                submit(Wanted.random(random));
            }
            cell.round();
            for (long id : List.copyOf(jobs.keySet())) {
                if (running(id).isEmpty()) {
                    cell.cancel(id);
                } else if (random.nextInt(3) == 0) {
                    end(id);
                }
            }
            var any = Wanted.random(random);
            var wanted =
                    new Wanted(
                            1,
                            Math.ceilDiv(any.tasks(), any.nodes()),
                            any.cpusPerTask(),
                            any.gpus(),
                            any.sharing(),
                            null,
                            any.threadsUsed(),
                            any.limit());
            var times = new TreeSet<>(List.of(cell.now));
            jobs.keySet().stream()
                    .filter(id -> !running(id).isEmpty())
                    .forEach(id -> times.add(endOf(id)));
            Long first = null;
            for (long time : times) {
                boolean room = machines.values().stream().anyMatch(it -> fits(wanted, it, time));
                first = first == null && room ? (Long) time : first;
            }
            submit(wanted);
            cell.round();

            JobStatus job = cell.job(jobs.lastKey());
            Planned plan = job.planned();
            if (first == null) {
                assertThat(plan).as("job %s", wanted).isNull();
            } else if (first == cell.now) {
                assertThat(job.run()).as("job %s on %s", wanted, machines).isNotNull();
            } else {
                assertThat(plan).as("job %s on %s", wanted, machines).isNotNull();
                assertThat(plan == null ? 0 : plan.start()).as("job %s", wanted).isEqualTo(first);
            }
        }
    }

    private static void wholeCores(TestCell cell) {
        cell.configure(cluster -> cluster.wholeCores = true);
    }
}
