package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Association;
import io.berth.core.engine.Waiting.Rank;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Jobs come and go, age at different speeds up to different caps, and fair shares change: the
/// first in the queue is whoever is first when all are compared.
final class QueueTest {

    private static final int SEEDS = 300;
    private static final int STEPS = 60;

    private final Scheduling engine = new Trial(Settings.DEFAULT, 4).engine;
    private final List<FitClass> classes = new ArrayList<>();
    private final List<Association> associations = new ArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final List<Long> running = new ArrayList<>();
    private Random random = new Random(0);
    private long now = 1_000_000;
    private long jobs;

    private final Decisions passes =
            new Decisions() {
                @Override
                public boolean admits(Waiting job) {
                    return true;
                }

                @Override
                public void started(Waiting job, int[] nodes, int lane) {
                    waiting.remove(job);
                    running.add(job.job());
                }

                @Override
                public void planned(Waiting job, long start, int[] nodes, long place) {}

                @Override
                public void unplanned(Waiting job) {}
            };

    private void begin(int seed) {
        random = new Random(seed);
        waiting.forEach(it -> engine.forget(it.job()));
        waiting.clear();
        running.forEach(engine::forget);
        running.clear();
        classes.clear();
        associations.clear();
        for (int number = 0; number < 4; number++) {
            List<@Nullable Demand> demand = List.of(new Demand(1, 1, 1 + number, 0));
            int partition = number / 2;
            int tier = seed % 4 == 0 ? partition : 0;
            classes.add(engine.fitClass(new Terms(tier, partition, 1, 0, demand, demand, null, 0)));
            associations.add(engine.association(random.nextInt(100)));
        }
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private void step() {
        switch (random.nextInt(10)) {
            case 0 ->
                    engine.reshare(() ->
                            associations.forEach(it -> Scheduling.share(it, random.nextInt(100))));
            case 1, 2 -> now += random.nextInt(30_000);
            case 3, 4 -> {
                if (!waiting.isEmpty()) {
                    Waiting gone = one(waiting);
                    waiting.remove(gone);
                    engine.forget(gone.job());
                }
            }
            default -> {
                long job = ++jobs;
                var rank =
                        new Rank(
                                random.nextInt(100),
                                random.nextInt(4),
                                random.nextInt(200),
                                job,
                                now - random.nextInt(60_000));
                long limit = 60_000L << random.nextInt(12);
                waiting.add(engine.wait(job, one(classes), one(associations), rank, limit));
            }
        }
        engine.queue.age(now);
    }

    private @Nullable Waiting first(Stream<Waiting> of) {
        return of.min(Waiting.order(now)).orElse(null);
    }

    @Test
    void the_first_is_the_first_of_all() {
        for (int seed = 0; seed < SEEDS; seed++) {
            begin(seed);
            for (int step = 0; step < STEPS; step++) {
                step();
                check("seed %d, step %d".formatted(seed, step));
            }
        }
    }

    @Test
    void no_job_has_a_higher_priority_than_its_class_is_said_to_have_up_to_its_length() {
        int planned = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            begin(seed);
            for (int step = 0; step < STEPS; step++) {
                step();
                if (random.nextInt(4) == 0) {
                    if (!running.isEmpty() && random.nextBoolean()) {
                        engine.forget(running.removeFirst());
                    }
                    engine.planPass(now, passes);
                }
                planned += engine.planned().size();
                for (Waiting job : waiting) {
                    assertThat(engine.peaks.of(job.fit.id, job.bucket, now))
                            .as("seed %d, step %d, job %d", seed, step, job.job())
                            .isGreaterThanOrEqualTo(job.priority(now));
                }
            }
        }
        assertThat(planned).isPositive();
    }

    @Test
    void a_class_is_said_to_have_no_higher_priority_than_its_first_job_that_is_no_longer() {
        begin(1);
        FitClass fit = classes.getFirst();
        for (int job = 1; job <= 8; job++) {
            var rank = new Rank(10 * job, 2, 100, job, now - 1_000);
            waiting.add(engine.wait(job, fit, associations.getFirst(), rank, 60_000L << job));
        }
        Waiting last = waiting.getLast();
        assertThat(engine.peaks.of(fit.id, last.bucket - 8, now)).isLessThan(last.priority(now));
        assertThat(engine.peaks.of(fit.id, last.bucket, now)).isEqualTo(last.priority(now));
        engine.forget(last.job());
        assertThat(engine.peaks.of(fit.id, last.bucket, now)).isLessThan(last.priority(now));
    }

    private List<Waiting> inOrder() {
        return waiting.stream().sorted(Waiting.order(now)).toList();
    }

    private List<Waiting> walked() {
        var walked = new ArrayList<Waiting>();
        QueueWalk walk = engine.queue.walk(now);
        for (Waiting next = walk.next(); next != null; next = walk.next()) {
            walked.add(next);
        }
        return walked;
    }

    private void check(String when) {
        assertThat(engine.queue.classes())
                .as(when)
                .containsExactlyInAnyOrderElementsOf(
                        waiting.stream().map(it -> it.fit).distinct().toList());
        assertThat(engine.queue.first(_ -> true, now)).as(when).isEqualTo(first(waiting.stream()));
        assertThat(walked()).as(when).containsExactlyElementsOf(inOrder());
        IntStream.range(0, 2)
                .forEach(partition ->
                        assertThat(engine.queue.first(it -> it == partition, now))
                                .as("%s, partition %d", when, partition)
                                .isEqualTo(
                                        first(
                                                waiting.stream()
                                                        .filter(it ->
                                                                it.fit.partition == partition))));
        int last = random.nextInt(Buckets.count());
        for (FitClass fit : classes) {
            assertThat(engine.queue.head(fit, last, now))
                    .as("%s, class %d up to bucket %d", when, fit.id, last)
                    .isEqualTo(
                            first(
                                    waiting.stream()
                                            .filter(it -> it.fit == fit && it.bucket <= last)));
        }
    }
}
