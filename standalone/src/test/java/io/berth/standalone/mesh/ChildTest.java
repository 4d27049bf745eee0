package io.berth.standalone.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.standalone.mesh.MeshStatus.State;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ChildTest {

    private final List<FakeProcess> processes = new ArrayList<>();
    private Health health = Health.NOT_READY;
    private Duration now = Duration.ZERO;
    private int told;
    private final Child child =
            new Child(
                    new Child.Role("part", 1, Path.of("part.log"), Duration.ofSeconds(1)),
                    this::nextProcess,
                    () -> health);

    @BeforeEach
    void start() {
        child.start(now);
    }

    @Test
    void a_part_is_starting_until_it_says_that_it_is_ready() {
        pass(Duration.ofSeconds(1));
        assertThat(child.state()).isEqualTo(State.STARTING);

        health = Health.READY;
        pass(Duration.ofSeconds(1));

        assertThat(child.state()).isEqualTo(State.READY);
    }

    @Test
    void a_part_that_dies_is_started_again_after_a_while() {
        processes.getFirst().alive = false;

        child.tick(now);
        assertThat(processes).hasSize(1);
        assertThat(child.status().note()).contains("exit 7", "part.log");

        pass(Duration.ofMillis(100));
        assertThat(processes).hasSize(2);
        assertThat(child.status().restarts()).isEqualTo(1);
    }

    @Test
    void a_part_that_dies_again_and_again_is_named_a_crash_loop() {
        for (int death = 0; death < 4; death++) {
            processes.getLast().alive = false;
            child.tick(now);
            if (death < 3) {
                pass(Duration.ofSeconds(30));
            }
        }

        assertThat(child.state()).isEqualTo(State.CRASH_LOOP);
        assertThat(child.status().note()).contains("death 4 in a row");
    }

    @Test
    void a_part_that_refuses_its_settings_twice_is_not_tried_four_times() {
        processes.getLast().alive = false;
        processes.getLast().end = "exit 2";
        child.tick(now);
        assertThat(child.state()).isEqualTo(State.RESTARTING);

        pass(Duration.ofMillis(100));
        processes.getLast().alive = false;
        processes.getLast().end = "exit 2";
        child.tick(now);

        assertThat(child.state()).isEqualTo(State.CRASH_LOOP);
        assertThat(child.status().note()).isEqualTo("it refuses its settings, see part.log");
    }

    @Test
    void a_part_that_is_broken_for_long_is_killed() {
        health = Health.BROKEN;

        pass(Duration.ofSeconds(1));
        pass(Duration.ofSeconds(9));
        assertThat(processes.getFirst().killed).isFalse();

        pass(Duration.ofSeconds(1));
        assertThat(processes.getFirst().killed).isTrue();
    }

    @Test
    void a_part_that_recovers_in_time_is_not_killed() {
        health = Health.BROKEN;
        pass(Duration.ofSeconds(5));
        health = Health.READY;
        pass(Duration.ofSeconds(5));
        health = Health.BROKEN;
        pass(Duration.ofSeconds(5));

        assertThat(processes.getFirst().killed).isFalse();
        assertThat(child.state()).isEqualTo(State.NOT_READY);
    }

    @Test
    void ready_parts_are_asked_at_the_same_moments() {
        health = Health.READY;

        pass(Duration.ofMillis(6_300));

        assertThat(child.due()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void a_part_that_has_died_is_due_when_it_is_started_again() {
        processes.getFirst().alive = false;

        pass(Duration.ofSeconds(1));

        assertThat(child.due()).isEqualTo(Duration.ofMillis(1_100));
    }

    @Test
    void the_end_of_each_process_is_told() {
        child.whenEnded(() -> told++);
        processes.getFirst().alive = false;
        pass(Duration.ofSeconds(1));
        pass(Duration.ofSeconds(1));

        processes.getLast().whenEnded.run();

        assertThat(processes).hasSize(2);
        assertThat(told).isEqualTo(1);
    }

    @Test
    void a_stopped_part_is_not_started_again() throws InterruptedException {
        child.stop();

        boolean orderly = child.awaitStopped();

        pass(Duration.ofMinutes(1));
        assertThat(orderly).isTrue();
        assertThat(processes).hasSize(1);
    }

    @Test
    void a_part_that_does_not_stop_in_time_is_killed() throws InterruptedException {
        processes.getFirst().obeys = false;
        child.stop();

        boolean orderly = child.awaitStopped();

        assertThat(orderly).isFalse();
        assertThat(processes.getFirst().killed).isTrue();
    }

    private void pass(Duration time) {
        now = now.plus(time);
        child.tick(now);
    }

    private Running nextProcess() throws IOException {
        var process = new FakeProcess();
        processes.add(process);
        return process;
    }

    private static final class FakeProcess implements Running {
        private boolean alive = true;
        private boolean obeys = true;
        private boolean killed;
        private String end = "exit 7";
        private Runnable whenEnded = () -> {};

        @Override
        public long pid() {
            return 42;
        }

        @Override
        public void whenEnded(Runnable then) {
            whenEnded = then;
        }

        @Override
        public boolean isAlive() {
            return alive;
        }

        @Override
        public String end() {
            return end;
        }

        @Override
        public void stop() {
            alive = !obeys;
        }

        @Override
        public boolean awaitEnd(Duration limit) {
            return !alive;
        }

        @Override
        public void kill() {
            killed = true;
            alive = false;
        }
    }
}
