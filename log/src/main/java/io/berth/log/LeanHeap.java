package io.berth.log;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/// The heap of a process that shares its machine, kept near what lives in it.
///
/// The serial collector looks through the old generation only when that has grown to its limit, and
/// gives memory back only then: a service in which 30 MiB live holds hundreds after a load. Here
/// the old generation is collected as soon as it holds half as much again as lived in it the last
/// time and [#SPARE] more, so that collections cost in proportion to what was moved there
/// meanwhile; and once more when the process has come to rest, unless so much lives in it ([#MOST])
/// that who waits for its heartbeats might notice. How much memory a collection leaves to the heap
/// is the JVM's `MaxHeapFreeRatio`.
public final class LeanHeap {

    /// Bytes that may come to what lives, or to be garbage, before it is looked through.
    static final long SPARE = 24 << 20;

    /// Bytes that are not worth a collection.
    static final long LITTLE = 2 << 20;

    /// Bytes that take some 200 ms to be looked through, and on a busy machine a second.
    static final long MOST = 160 << 20;

    /// How long the young generation is not collected in a process that rests.
    static final int TURNS_OF_REST = 20;

    private static final Duration TURN = Duration.ofSeconds(1);

    /// What the serial collectors of the JVM and of native executables call the old generation, and
    /// that which collects the young one.
    private static final Set<String> OLD = Set.of("Tenured Gen", "old generation space");

    private static final Set<String> YOUNG = Set.of("Copy", "young generation scavenger");

    private final LongSupplier old;
    private final LongSupplier youngCollections;
    private final Runnable collect;
    private long living;
    private long collections;
    private int still;

    /// @param old bytes of the old generation in use
    /// @param youngCollections since the start
    /// @param collect both generations
    LeanHeap(LongSupplier old, LongSupplier youngCollections, Runnable collect) {
        this.old = old;
        this.youngCollections = youngCollections;
        this.collect = collect;
    }

    /// Keeps the heap of this process lean from now on, by a thread of its own; where another
    /// collector than a serial one works nothing is changed.
    public static void keep() {
        serial().ifPresent(heap -> Thread.ofPlatform().name("lean-heap").daemon().start(heap::run));
    }

    private static Optional<LeanHeap> serial() {
        Optional<MemoryPoolMXBean> old =
                ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(it -> OLD.contains(it.getName()))
                        .findFirst();
        Optional<GarbageCollectorMXBean> young =
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .filter(it -> YOUNG.contains(it.getName()))
                        .findFirst();
        return old.flatMap(pool ->
                young.map(collector ->
                        new LeanHeap(
                                () -> pool.getUsage().getUsed(),
                                collector::getCollectionCount,
                                System::gc)));
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(TURN);
                turn();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Looks at the heap, and collects it if it is time for that.
    void turn() {
        long now = youngCollections.getAsLong();
        still = now == collections ? still + 1 : 0;
        collections = now;
        long used = old.getAsLong();
        boolean grown = used > living + living / 2 + SPARE;
        boolean rests = still == TURNS_OF_REST && used > living + LITTLE && used < MOST;
        if (grown || rests) {
            collect.run();
            living = old.getAsLong();
        }
    }
}
