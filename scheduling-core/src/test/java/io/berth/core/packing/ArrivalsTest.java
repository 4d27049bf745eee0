package io.berth.core.packing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ArrivalsTest {

    private static Shape shape(int cpus) {
        return new Shape(cpus, 0, 1, Shape.WHOLE, -1);
    }

    /// Keeps what it was last told.
    private static final class Pupil implements PackingPolicy {
        List<Shape> known = List.of();
        int lessons;

        @Override
        public long cost(FreeNode node, Shape shape, long gpus) {
            return 0;
        }

        @Override
        public void learn(List<Shape> arrivals) {
            known = arrivals;
            lessons++;
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "3, 2", "127, 64", "128, 128", "255, 128", "5000, 4992"})
    void the_window_ends_at_powers_of_two_and_then_at_steps(long highest, long top) {
        assertThat(Arrivals.top(highest)).isEqualTo(top);
    }

    @Test
    void a_policy_learns_again_only_when_the_window_has_changed() {
        var arrivals = new Arrivals();
        var pupil = new Pupil();
        for (int job = 1; job <= 300; job++) {
            arrivals.came(job, shape(job));
            arrivals.came(job, shape(job));
            arrivals.teach(pupil, job);
        }

        assertThat(pupil.lessons).isEqualTo(9);
        assertThat(pupil.known).hasSize(256);
    }

    /// Jobs come out of order, change and go; who has seen all of it knows what one knows who sees
    /// what there is now.
    @Test
    void what_is_known_follows_from_the_jobs_that_there_are() {
        for (int seed = 0; seed < 50; seed++) {
            var random = new Random(seed);
            var there = new TreeMap<Long, Shape>();
            var arrivals = new Arrivals();
            var pupil = new Pupil();
            long highest = 0;
            for (int step = 0; step < 3000; step++) {
                long job = Math.max(1, highest + 3 - random.nextInt(random.nextInt(1500) + 5));
                if (random.nextInt(4) == 0) {
                    there.remove(job);
                    arrivals.gone(job);
                } else {
                    there.put(job, shape(random.nextInt(3)));
                    arrivals.came(job, there.get(job));
                    highest = Math.max(highest, job);
                }
                if (random.nextInt(3) == 0) {
                    arrivals.teach(pupil, highest);
                }
            }
            arrivals.teach(pupil, highest);
            var fresh = new Arrivals();
            there.tailMap(Arrivals.first(highest)).forEach(fresh::came);
            var other = new Pupil();
            fresh.teach(other, highest);

            assertThat(new ArrayList<>(pupil.known)).as("seed " + seed).isEqualTo(other.known);
        }
    }
}
