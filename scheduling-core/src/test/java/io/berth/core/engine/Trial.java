package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.FitClass.Count;
import io.berth.core.engine.FitClass.Layout;
import io.berth.core.engine.FitClass.Size;
import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Scheduling.Expected;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Association;
import io.berth.core.engine.Waiting.Entry;
import io.berth.core.engine.Waiting.Rank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The engine under virtual time: jobs come, run as long as they really do, and end.
final class Trial implements Decisions {

    /// @param nodes and
    /// @param gpus on each of them
    /// @param limit and
    /// @param runs in seconds; a limit of 0 is none
    /// @param priority in points
    /// @param share in thousandths of one shared GPU; 0 is none
    record Job(
            long id,
            long submit,
            int nodes,
            int gpus,
            long limit,
            long runs,
            long priority,
            int share) {

        Job(long id, long submit, int nodes, int gpus, long limit, long runs, long priority) {
            this(id, submit, nodes, gpus, limit, runs, priority, 0);
        }
    }

    /// How many licenses the cluster has.
    static final int LICENSES = 3;

    /// How many CPUs of a node jobs of the capped partition have together.
    static final int CAP = 3;

    /// Jobs with ids from here on are a real Slurm's, and want nothing of their own accord.
    private static final long OF_SLURM = 1000;

    /// What a shared GPU has.
    static final int WHOLE = 1000;

    /// As many GPUs stand for one of another type.
    static final int OTHERS = 100;

    /// How much each node has of something that is counted.
    static final int COUNTED = 3;

    /// A moment of a trial: a job comes, or one ends.
    private record Event(long time, boolean end, Job job) {}

    final Scheduling engine;
    final TreeMap<Long, Long> starts = new TreeMap<>();
    final TreeMap<Long, int[]> places = new TreeMap<>();
    private final TreeMap<Long, Integer> lanes = new TreeMap<>();
    final TreeMap<Long, Long> expected = new TreeMap<>();

    /// Of jobs that have less time than they asked for, in milliseconds.
    final TreeMap<Long, Long> shortened = new TreeMap<>();

    /// How often the engine asked whether a job may start.
    int asked;

    final Map<Long, Job> jobs = new HashMap<>();

    /// By component, the components of a set.
    private final Map<Long, List<Long>> together = new HashMap<>();

    private final List<Kind> kinds;
    private final Map<Ask, FitClass> classes = new HashMap<>();
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::time)
                            .thenComparing(Event::end, Comparator.reverseOrder())
                            .thenComparingLong(event -> event.job().id()));
    private final Association association;
    private Hours hours = Hours.ALWAYS;
    long now;

    /// Nodes with so many GPUs each and plenty of the rest. Below zero: so many shared ones; from
    /// [#OTHERS] on, for each time that it is that much, one more of another type.
    Trial(Settings settings, int... gpusByNode) {
        this(settings, Network.FLAT, gpusByNode);
    }

    Trial(Settings settings, Network network, int... gpusByNode) {
        var distinct = new LinkedHashMap<Integer, Integer>();
        for (int gpus : gpusByNode) {
            distinct.putIfAbsent(gpus, distinct.size());
        }
        kinds = new ArrayList<>();
        distinct.forEach((gpus, _) -> kinds.add(kind(gpus)));
        int[] kindOf = new int[gpusByNode.length];
        for (int i = 0; i < kindOf.length; i++) {
            kindOf[i] = distinct.getOrDefault(gpusByNode[i], 0);
        }
        engine =
                new Scheduling(
                        new Cluster(kinds, kindOf, network),
                        settings,
                        Preemption.DEFAULT,
                        LICENSES);
        association = engine.association(0);
    }

    private static int gpus(Kind kind) {
        return kind.slots.length > 0
                ? -kind.slots.length
                : kind.gpusByLane[0] + OTHERS * others(kind);
    }

    private static int others(Kind kind) {
        return kind.gpusByLane.length > 1 ? kind.gpusByLane[1] : 0;
    }

    /// How many of the nodes have GPUs of both types.
    private long mixed() {
        int mixed = 0;
        for (int node = 0; node < engine.cluster.size(); node++) {
            mixed += others(engine.cluster.node(node).kind) > 0 ? 1 : 0;
        }
        return mixed;
    }

    private static Kind kind(int gpus) {
        int[] slots = new int[Math.max(0, -gpus)];
        Arrays.fill(slots, WHOLE);
        int weight = gpus > 4 ? 2 : 1;
        int[] lanes =
                gpus < OTHERS
                        ? new int[] {Math.max(0, gpus)}
                        : new int[] {gpus % OTHERS, gpus / OTHERS};
        return new Kind(
                64,
                1 << 20,
                lanes,
                slots,
                new int[0],
                new int[] {CAP},
                weight,
                Counted.of(COUNTED));
    }

    /// Jobs that come from now on find their nodes closed at these times.
    void close(Hours to) {
        hours = to;
        classes.clear();
    }

    void submit(Job job) {
        jobs.put(job.id(), job);
        events.add(new Event(job.submit(), false, job));
    }

    /// Jobs that start together or not at all; they come at one time.
    void submitTogether(Job... components) {
        List<Long> ids = Arrays.stream(components).map(Job::id).toList();
        for (Job job : components) {
            together.put(job.id(), ids);
            submit(job);
        }
    }

    Collection<List<Long>> sets() {
        return Set.copyOf(together.values());
    }

    /// Whether the components of a set find seats where nothing runs.
    boolean fitsAlone(List<Long> set) {
        int[] gpus = new int[engine.cluster.size()];
        for (int i = 0; i < gpus.length; i++) {
            Kind kind = engine.cluster.node(i).kind;
            gpus[i] = gpus(kind);
        }
        var alone = new Trial(Settings.DEFAULT, engine.cluster.network, gpus);
        set.forEach(id -> {
            Job job = Objects.requireNonNull(jobs.get(id));
            alone.submit(job);
            alone.together.put(id, set);
        });
        alone.step(false);
        return alone.starts.containsKey(set.getFirst());
    }

    /// What jobs ask for that are of one class.
    private record Ask(
            Job like,
            int maxSwitches,
            int level,
            boolean inRow,
            BitSet among,
            int most,
            int licenses,
            boolean spread,
            Tenant tenant,
            List<Choice> choices,
            int counted,
            int others,
            boolean second) {}

    private FitClass fit(Ask ask) {
        return classes.computeIfAbsent(ask, it -> engine.fitClass(terms(it, it.like().nodes())));
    }

    /// The tier of the second partition.
    int secondTier;

    /// Every ninth may start in a second partition, too, which has every second node.
    static boolean chooses(Job job) {
        return job.id() % 9 == 7 && job.id() < OF_SLURM;
    }

    /// The nodes of the second partition.
    private BitSet second() {
        var second = new BitSet();
        for (int node = 0; node < engine.cluster.size(); node += 2) {
            second.set(node);
        }
        return second;
    }

    private Terms terms(Ask ask, int nodes) {
        int all = ask.like().gpus() * ask.like().nodes();
        int gpus = ask.spread() ? Math.ceilDiv(all, nodes) : ask.like().gpus();
        int share = ask.like().share();
        boolean uneven = ask.others() > 0 && nodes > 1;
        var on = new ArrayList<@Nullable Demand>();
        var lessOn = new ArrayList<@Nullable Demand>();
        var shares = new ArrayList<List<Demand>>();
        for (Kind kind : kinds) {
            var ways = new ArrayList<Demand>();
            for (int slot = 0; slot < kind.slots.length && share > 0; slot++) {
                ways.add(
                        new Demand(
                                1, 1024, share, 1 + slot, ask.tenant(), Counted.of(ask.counted())));
            }
            shares.add(ways);
            on.add(
                    share > 0
                            ? ways.isEmpty() ? null : ways.getFirst()
                            : whole(kind, gpus, ask, ask.others()));
            lessOn.add(uneven ? whole(kind, gpus, ask, ask.others() - 1) : null);
        }
        return new Terms(
                ask.second() ? secondTier : 0,
                ask.second() ? 1 : 0,
                uneven
                        ? List.of(new Size(1, on), new Size(nodes - 1, lessOn))
                        : List.of(new Size(nodes, on)),
                ask.second() ? second() : null,
                ask.maxSwitches(),
                ask.level(),
                null,
                hours,
                ask.licenses() == 0 ? new int[0] : new int[] {ask.licenses()},
                true,
                share == 0 ? List.of() : shares,
                new Layout(
                        ask.inRow(),
                        0,
                        ask.among(),
                        ask.most(),
                        more -> terms(ask, more),
                        ask.spread(),
                        null,
                        ask.choices()));
    }

    private static @Nullable Demand whole(Kind kind, int gpus, Ask ask, int others) {
        return kind.gpusByLane[0] < gpus || others(kind) < others
                ? null
                : new Demand(
                                1,
                                1024,
                                gpus,
                                gpus == 0 ? -1 : 0,
                                ask.tenant(),
                                Counted.of(ask.counted()))
                        .alsoWith(Counted.of(0, others));
    }

    /// Where there are switches, every fourth job wants to lie under one; and where a level is
    /// named, every second of these in one domain of that.
    FitClass fit(Job job) {
        return fit(job, false);
    }

    private FitClass fit(Job job, boolean second) {
        Network network = engine.cluster.network;
        boolean under = network.levels() > 0 && job.id() % 4 == 0;
        return fit(
                new Ask(
                        new Job(0, 0, job.nodes(), job.gpus(), 0, 0, 0, job.share()),
                        under ? 1 : 0,
                        under && job.id() % 8 == 0 && network.binds(1) ? 1 : Network.LEAVES,
                        inRow(job),
                        among(job),
                        most(job),
                        licenses(job),
                        spread(job),
                        tenant(job),
                        choices(job),
                        counted(job),
                        others(job),
                        second));
    }

    /// Every third that takes GPUs of the first type takes some of the other type too, where enough
    /// nodes have them: one more on the first of its nodes than on the others.
    int others(Job job) {
        return job.id() % 3 == 1
                        && job.id() < OF_SLURM
                        && job.gpus() > 0
                        && job.gpus() < 3
                        && !spread(job)
                        && mixed() >= job.nodes()
                ? 1 + (int) (job.id() / 3 % 2)
                : 0;
    }

    /// Every seventh job takes some of what is counted.
    static int counted(Job job) {
        return job.id() % 7 == 3 ? 1 + (int) (job.id() / 7 % COUNTED) : 0;
    }

    /// Every sixth job holds licenses.
    static int licenses(Job job) {
        return job.id() % 6 == 0 ? 1 + (int) (job.id() / 6 % 2) : 0;
    }

    /// How many licenses runs hold.
    int licensesHeld() {
        return jobs.values().stream()
                .filter(job -> engine.cluster.runs(job.id()))
                .mapToInt(Trial::licenses)
                .sum();
    }

    /// Every fifth job wants its nodes in a row.
    static boolean inRow(Job job) {
        return job.id() % 5 == 1;
    }

    /// Every fifth one of several nodes must have a certain one.
    BitSet among(Job job) {
        var among = new BitSet();
        if (job.id() % 5 == 2 && job.nodes() > 1) {
            among.set((int) job.id() % engine.cluster.size());
        }
        return among;
    }

    /// Every fifth one takes up to two nodes more.
    static int most(Job job) {
        return job.nodes() + (job.id() % 5 == 3 && job.share() == 0 ? 2 : 0);
    }

    /// Of those that take more, every second spreads what it needs over them.
    static boolean spread(Job job) {
        return most(job) > job.nodes() && job.id() % 2 == 0;
    }

    /// Jobs are of three users; every eleventh wants its nodes for its user alone, every thirteenth
    /// its blocks for itself; every third is in a partition whose jobs have only so many CPUs of a
    /// node.
    static Tenant tenant(Job job) {
        if (job.id() >= OF_SLURM) {
            return Tenant.ANYBODY;
        }
        return new Tenant(
                1 + (int) (job.id() % 3),
                job.id() % 11 == 2,
                job.id() % 3 == 0 ? 0 : -1,
                job.id() % 13 == 6);
    }

    /// Every fifth of several nodes wants them all in the first half, or one in the second half and
    /// another one of even place; every tenth rather the one than the other, as does every tenth of
    /// one node with any.
    List<Choice> choices(Job job) {
        if (job.id() % 5 != 4 || (job.nodes() < 2 && job.id() % 2 == 1)) {
            return List.of();
        }
        int size = engine.cluster.size();
        var all = new BitSet();
        var first = new BitSet();
        var second = new BitSet();
        var even = new BitSet();
        for (int node = 0; node < size; node++) {
            all.set(node);
            (node < size / 2 ? first : second).set(node);
            even.set(node, node % 2 == 0);
        }
        var counts = List.of(new Count(second, 1), new Count(even, 1));
        return List.of(
                new Choice(first, List.of(), job.id() % 2 == 0),
                new Choice(all, job.nodes() < 2 ? List.of() : counts));
    }

    /// Every fourth takes a third of its time, in seconds, where it then starts sooner; 0 is none.
    static long least(Job job) {
        return job.id() % 4 == 3 && job.id() < OF_SLURM ? job.limit() / 3 : 0;
    }

    /// The limit that a run has, in seconds; 0 is none.
    long limit(Job job) {
        Long length = shortened.get(job.id());
        return length == null ? job.limit() : (length - Scheduling.SLACK_MILLIS) / 1000;
    }

    /// When a run ends at the latest, in milliseconds.
    private long latestEnd(Job job, long startedAt) {
        Long length = shortened.get(job.id());
        return length == null
                ? Scheduling.latestEnd(startedAt * 1000, job.limit() * 1000)
                : startedAt * 1000 + length;
    }

    /// Whether jobs end that have waited as long as they may.
    boolean impatient;

    /// Every third does after a time that differs.
    static boolean impatient(Job job) {
        return job.id() % 3 == 2 && job.id() < OF_SLURM;
    }

    /// Before which a job must have started, in milliseconds.
    long lastStart(Job job) {
        return impatient && impatient(job)
                ? (job.submit() + 1 + job.id() * 97 % 500) * 1000
                : Node.NEVER;
    }

    /// Before which a job must have started, and all that start with it.
    long lastStartTogether(Job job) {
        return together.getOrDefault(job.id(), List.of(job.id())).stream()
                .mapToLong(id -> lastStart(Objects.requireNonNull(jobs.get(id))))
                .min()
                .orElseThrow();
    }

    void arrive(Job job) {
        List<Long> set = together.get(job.id());
        if (set != null) {
            engine.waitTogether(
                    job.id(),
                    fit(job),
                    association,
                    new Rank(job.priority() * 1_000_000, 0, 0, job.id(), job.submit() * 1000),
                    job.limit() * 1000,
                    set.getFirst(),
                    set.size(),
                    lastStart(job));
            return;
        }
        var rank = new Rank(job.priority() * 1_000_000, 0, 0, job.id(), job.submit() * 1000);
        var entries = new ArrayList<>(List.of(new Entry(0, fit(job), rank)));
        if (chooses(job)) {
            entries.add(new Entry(1, fit(job, true), rank));
        }
        engine.wait(
                job.id(),
                entries,
                association,
                job.limit() * 1000,
                least(job) * 1000,
                lastStart(job));
    }

    /// Takes the next moment: events, or an expected start. False: there is none.
    boolean step(boolean plan) {
        if (!advance()) {
            return false;
        }
        pass(plan);
        return true;
    }

    /// Goes to the next moment without deciding anything.
    boolean advance() {
        long planned = engine.next(now * 1000);
        long due = planned == Node.NEVER ? Node.NEVER : Math.ceilDiv(planned, 1000);
        if (events.isEmpty() && due == Node.NEVER) {
            return false;
        }
        now = events.isEmpty() ? due : Math.min(due, events.element().time());
        while (!events.isEmpty() && events.peek().time() == now) {
            take(events.remove());
        }
        jobs.values().stream()
                .filter(job -> waits(job.id()) && lastStart(job) <= now * 1000)
                .flatMap(job -> together.getOrDefault(job.id(), List.of(job.id())).stream())
                .toList()
                .forEach(this::cancel);
        return true;
    }

    boolean waits(long job) {
        return engine.waiting(job, 0) != null || engine.waiting(job, 1) != null;
    }

    /// A waiting job is cancelled.
    void cancel(long job) {
        engine.forget(job);
        expected.remove(job);
    }

    private void take(Event event) {
        if (event.end()) {
            engine.forget(event.job().id());
        } else {
            arrive(event.job());
        }
    }

    void pass(boolean plan) {
        if (plan) {
            engine.planPass(now * 1000, this);
        } else {
            engine.startPass(now * 1000, this);
        }
    }

    /// Whether the last pass was cut off.
    boolean cutOff() {
        return engine.next(now * 1000) <= now * 1000;
    }

    /// This moment is decided as in an engine that has seen nothing of how it came about.
    void decidesAsOneJustBuilt(boolean plan) {
        Trial rebuilt = rebuilt();
        var before = new TreeMap<>(starts);

        pass(plan);
        rebuilt.pass(plan);

        var started = new TreeMap<>(starts);
        started.keySet().removeAll(before.keySet());
        assertThat(rebuilt.starts).isEqualTo(started);
        assertThat(rebuilt.expected).isEqualTo(expected);
    }

    /// Until nothing happens any more, nobody is expected, or starts, later than he once was.
    void keepsPromises(Random random) {
        Map<Long, Long> before = new TreeMap<>(expected);
        while (step(random.nextBoolean())) {
            Map<Long, Long> promised = before;
            expected.forEach((job, start) ->
                    assertThat(start).isLessThanOrEqualTo(promised.getOrDefault(job, start)));
            starts.forEach((job, start) ->
                    assertThat(start * 1000)
                            .isLessThanOrEqualTo(promised.getOrDefault(job, Long.MAX_VALUE)));
            before = new TreeMap<>(expected);
        }
    }

    /// Until nothing happens any more, with a plan pass whenever the engine asks for one.
    void run() {
        while (step(false)) {
            if (engine.stale()) {
                pass(true);
            }
        }
    }

    List<Long> startedBefore(long time) {
        return starts.entrySet().stream()
                .filter(entry -> entry.getValue() < time)
                .map(Map.Entry::getKey)
                .toList();
    }

    /// The same moment in an engine that has seen nothing of how it came about.
    Trial rebuilt() {
        return rebuilt(engine.settings);
    }

    Trial rebuilt(Settings settings) {
        int[] gpus = new int[engine.cluster.size()];
        for (int i = 0; i < gpus.length; i++) {
            Kind kind = engine.cluster.node(i).kind;
            gpus[i] = gpus(kind);
        }
        var other = new Trial(settings, engine.cluster.network, gpus);
        other.now = now;
        for (int i = 0; i < gpus.length; i++) {
            other.engine.open(i, engine.cluster.node(i).open);
        }
        other.jobs.putAll(jobs);
        other.together.putAll(together);
        other.secondTier = secondTier;
        other.impatient = impatient;
        for (Job job : jobs.values()) {
            int[] nodes = places.get(job.id());
            if (engine.waiting(job.id(), 0) != null) {
                other.arrive(job);
                Plan plan = engine.plans.of(job.id());
                if (plan != null) {
                    other.engine.plan(
                            job.id(),
                            new Expected(
                                    plan.job().choice,
                                    plan.start(),
                                    plan.nodes(),
                                    plan.lane(),
                                    plan.place(),
                                    null));
                    other.expected.put(job.id(), plan.start());
                }
            } else if (nodes != null && engine.cluster.nodesOf(job.id()).length > 0) {
                other.engine.run(
                        job.id(),
                        nodes,
                        other.engine.cluster.demands(
                                other.fit(job), nodes, lanes.getOrDefault(job.id(), Search.WHOLE)),
                        latestEnd(job, starts.getOrDefault(job.id(), 0L)),
                        null);
                int[] licenses = other.fit(job).pools;
                if (licenses.length > 0) {
                    long startedAt = starts.getOrDefault(job.id(), 0L);
                    other.engine.share(job.id(), licenses, latestEnd(job, startedAt));
                }
            }
        }
        return other;
    }

    @Override
    public boolean admits(Waiting job) {
        asked++;
        return true;
    }

    @Override
    public void shortened(Waiting job, long length) {
        shortened.put(job.job(), length);
    }

    @Override
    public void started(Waiting waiting, int[] nodes, int lane) {
        Job job = jobs.get(waiting.job());
        if (job == null) {
            throw new AssertionError("job " + waiting.job() + " never came");
        }
        starts.put(job.id(), now);
        places.put(job.id(), nodes);
        lanes.put(job.id(), lane);
        expected.remove(job.id());
        long most = shortened.containsKey(job.id()) ? limit(job) : job.runs();
        events.add(new Event(now + Math.min(job.runs(), most), true, job));
    }

    @Override
    public void planned(Waiting job, long start, int[] nodes, long place) {
        expected.put(job.job(), start);
    }

    @Override
    public void unplanned(Waiting job) {
        expected.remove(job.job());
    }
}
