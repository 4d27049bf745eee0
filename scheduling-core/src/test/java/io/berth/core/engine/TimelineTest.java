package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.Node.Step;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TimelineTest {

    private static final int LANES = 4;

    private final List<Step> steps = new ArrayList<>();
    private final Timeline timeline = new Timeline(2);
    private final Timeline copy = new Timeline(0);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void its_rows_say_what_its_steps_do(long seed) {
        var random = new Random(seed);
        for (int turn = 0; turn < 300; turn++) {
            if (random.nextInt(3) > 0) {
                Step step = step(random, turn);
                steps.add(step);
                steps.sort(Comparator.comparingLong(Step::time));
                timeline.add(step);
            } else {
                long job = random.nextInt(turn + 1);
                steps.removeIf(it -> it.job() == job);
                timeline.remove(job);
            }
            check(timeline);
            copy.set(timeline.steps());
            check(copy);
        }
    }

    private void check(Timeline some) {
        assertThat(some.steps()).containsExactlyElementsOf(steps);
        for (int at = 0; at < some.length(); at++) {
            Step step = steps.get(at);
            Demand demand = step.demand();
            assertThat(some.step(at)).isSameAs(step);
            assertThat(some.time(at)).isEqualTo(step.time());
            assertThat(some.cpus(at)).isEqualTo(step.sign() * demand.cpus());
            assertThat(some.memoryMib(at)).isEqualTo(step.sign() * demand.memoryMib());
            assertThat(some.lane(at)).isEqualTo(demand.lane());
            assertThat(some.gpus(at)).isEqualTo((long) step.sign() * demand.gpus());
            for (int lane = 0; lane < LANES; lane++) {
                assertThat(some.gpusOf(at, lane))
                        .isEqualTo((long) step.sign() * demand.gpusOf(lane));
            }
            assertThat(some.counts(at)).isEqualTo(demand.counted().places() > 0);
            assertThat(some.plain(at))
                    .isEqualTo(
                            demand.more().places() == 0
                                    && !demand.tenant().alone()
                                    && demand.shared() == null);
        }
    }

    private static Step step(Random random, long job) {
        int gpus = random.nextInt(3);
        int lane = gpus == 0 ? -1 : random.nextInt(LANES - 1);
        var tenant = new Tenant(random.nextInt(3), random.nextInt(6) == 0, 0);
        Counted counted = random.nextInt(4) == 0 ? Counted.one(1, 7) : Counted.NONE;
        var demand =
                new Demand(
                        random.nextInt(200),
                        random.nextLong(1L << 40),
                        gpus,
                        lane,
                        tenant,
                        counted);
        if (gpus > 0 && random.nextInt(5) == 0) {
            demand = demand.alsoWith(Counted.one(LANES - 1, 2));
        }
        if (random.nextInt(6) == 0) {
            demand = demand.sharing(Shared.held(0, new BitSet()));
        }
        return new Step(random.nextLong(50), job, demand, random.nextBoolean() ? 1 : -1, null);
    }
}
