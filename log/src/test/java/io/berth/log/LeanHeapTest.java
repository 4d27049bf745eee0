package io.berth.log;

import static io.berth.log.LeanHeap.LITTLE;
import static io.berth.log.LeanHeap.MOST;
import static io.berth.log.LeanHeap.SPARE;
import static io.berth.log.LeanHeap.TURNS_OF_REST;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LeanHeapTest {

    private long living;
    private long garbage;
    private long youngCollections;
    private int collected;
    private final LeanHeap heap =
            new LeanHeap(() -> living + garbage, () -> youngCollections, this::collect);

    private void collect() {
        collected++;
        garbage = 0;
    }

    private void work(int turns, long garbageOfEach) {
        for (int i = 0; i < turns; i++) {
            youngCollections += 3;
            garbage += garbageOfEach;
            heap.turn();
        }
    }

    private void rest(int turns) {
        for (int i = 0; i < turns; i++) {
            heap.turn();
        }
    }

    @Test
    void under_load_the_heap_stays_below_half_as_much_again_as_lives_and_something_to_spare() {
        living = 100 << 20;
        long most = 0;
        for (int i = 0; i < 1000; i++) {
            work(1, 1 << 20);
            most = Math.max(most, living + garbage);
        }

        assertThat(most).isBetween(3 * living / 2, 3 * living / 2 + SPARE + (2 << 20));
        assertThat(collected).isBetween(10, 15);
    }

    @Test
    void what_grows_and_lives_is_looked_through_each_time_that_it_has_grown_by_half() {
        for (int i = 0; i < 1000; i++) {
            living += 1 << 20;
            work(1, 0);
        }

        assertThat(collected).isEqualTo(7);
    }

    @Test
    void at_rest_it_is_collected_once() {
        living = 30 << 20;
        work(1, 0);
        rest(TURNS_OF_REST);
        collected = 0;
        work(5, 4 << 20);
        rest(TURNS_OF_REST);
        int atFirst = collected;
        rest(10 * TURNS_OF_REST);

        assertThat(atFirst).isEqualTo(1);
        assertThat(collected).isEqualTo(1);
        assertThat(garbage).isZero();
    }

    @Test
    void a_moment_without_work_is_no_rest() {
        living = 20 << 20;
        work(1, 0);
        rest(TURNS_OF_REST - 1);
        work(1, 0);
        rest(TURNS_OF_REST - 1);

        assertThat(collected).isZero();
    }

    @Test
    void at_rest_a_large_heap_is_left_as_it_is() {
        living = MOST;
        work(1, 0);
        collected = 0;
        work(1, 10 * LITTLE);
        rest(2 * TURNS_OF_REST);

        assertThat(collected).isZero();
    }

    @Test
    void little_garbage_is_left_where_it_is() {
        living = 30 << 20;
        work(1, 0);
        rest(TURNS_OF_REST);
        work(1, LITTLE);
        rest(TURNS_OF_REST);

        assertThat(collected).isEqualTo(1);
        assertThat(garbage).isEqualTo(LITTLE);
    }
}
