package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.submit.Position;
import java.util.List;
import org.junit.jupiter.api.Test;

class AskedTest {

    private static final List<JobId> ONE = List.of(new JobId(1));
    private static final List<JobId> BOTH = List.of(new JobId(1), new JobId(2));

    private final Asked asked = new Asked();

    private static Position at(long offset) {
        return new Position(0, offset);
    }

    private static Position unasked() {
        throw new AssertionError("the log is asked for its end");
    }

    @Test
    void what_was_asked_last_of_any_of_the_jobs_is_what_counts() {
        asked.written(BOTH, at(7), 0);
        asked.written(ONE, at(9), 0);

        assertThat(asked.below(BOTH, AskedTest::unasked)).contains(at(9));
        assertThat(asked.below(List.of(new JobId(2)), AskedTest::unasked)).contains(at(7));
        assertThat(asked.below(List.of(new JobId(3)), AskedTest::unasked)).isEmpty();
    }

    @Test
    void what_may_stand_in_the_log_or_not_stands_below_its_end() {
        asked.written(BOTH, at(7), 0);
        asked.asking(ONE, 0);

        assertThat(asked.below(BOTH, () -> at(12))).contains(at(12));
    }

    @Test
    void what_is_decided_is_forgotten() {
        asked.written(BOTH, at(7), 0);
        asked.written(ONE, at(9), 0);

        asked.forget(position -> position.offset() <= 7, 0, AskedTest::unasked);

        assertThat(asked.size()).isOne();
    }

    @Test
    void unknown_outcomes_are_forgotten_when_what_stands_in_the_log_since_is_decided() {
        for (long job = 1; job <= 1000; job++) {
            asked.asking(List.of(new JobId(job)), job);
        }

        asked.forget(_ -> true, 1001, () -> at(40));
        assertThat(asked.below(ONE, AskedTest::unasked)).contains(at(40));
        asked.forget(position -> position.offset() <= 40, 1001, AskedTest::unasked);

        assertThat(asked.size()).isZero();
    }

    @Test
    void what_is_still_tried_is_not_forgotten() {
        asked.asking(ONE, 500);

        asked.forget(_ -> true, 500, AskedTest::unasked);

        assertThat(asked.below(ONE, () -> at(3))).contains(at(3));
    }
}
