package io.berth.agent.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Consumption;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BindingsTest {

    private static final Group GROUP =
            new Group() {
                @Override
                public List<Path> entrances() {
                    return List.of();
                }

                @Override
                public List<Path> folders() {
                    return List.of(Path.of("/sys/fs/cgroup/cpuset/berth/n1/17.1/step_0/task_3"));
                }

                @Override
                public Set<Isolation> enforced() {
                    return Set.of(Isolation.DEVICES);
                }

                @Override
                public Set<Long> members() {
                    return Set.of();
                }

                @Override
                public void kill() {}

                @Override
                public Consumption usage() {
                    return Consumption.NONE;
                }

                @Override
                public boolean outOfMemory() {
                    return false;
                }

                @Override
                public void remove() {}

                @Override
                public void suspend() {}

                @Override
                public void resume() {}
            };

    private final Logger category = Logger.getLogger(Bindings.CATEGORY);
    private final List<String> told = new ArrayList<>();
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord line) {
                    told.add(line.getMessage());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    @BeforeEach
    void listen() {
        handler.setLevel(Level.ALL);
        category.addHandler(handler);
    }

    @AfterEach
    void leave() {
        category.removeHandler(handler);
        category.setLevel(null);
    }

    private static void bind() {
        Bindings.run(
                GROUP,
                new Limits(IndexSet.parse("0-3"), 800, 0, List.of("c 1:3 rw", "c 195:3 rw")),
                List.of("GPU-a", "GPU-b"));
        Bindings.step(GROUP, new ChildLimits(IndexSet.EMPTY, 0, List.of()), "-");
        Bindings.task(
                GROUP,
                new ChildLimits(IndexSet.parse("2"), 0, List.of("c 1:3 rw"), IndexSet.parse("0")),
                "GPU-a",
                3,
                4711);
    }

    @Test
    void what_is_bound_to_what_is_told_to_who_asks_for_it() {
        category.setLevel(Level.FINE);

        bind();

        assertThat(told)
                .satisfiesExactly(
                        run ->
                                assertThat(run)
                                        .contains(
                                                "cpus=0-3",
                                                "gpus=GPU-a,GPU-b",
                                                "memoryMib=800",
                                                "devices=c 1:3 rw, c 195:3 rw",
                                                "Run bound"),
                        step -> assertThat(step).contains("cpus=-", "devices=-", "Step bound"),
                        task ->
                                assertThat(task)
                                        .contains(
                                                "group=17.1/step_0/task_3",
                                                "cpus=2",
                                                "memoryNodes=0",
                                                "enforced=[DEVICES]",
                                                "task=3",
                                                "process=4711",
                                                "Task bound"));
    }

    @Test
    void nobody_is_told_unasked() {
        category.setLevel(Level.INFO);

        bind();

        assertThat(told).isEmpty();
    }
}
