package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// `berth queues`.
final class QueuesTest {

    private final FakeMesh mesh =
            new FakeMesh()
                    .on(
                            "GET",
                            "/v1/queues",
                            """
                            {"queues":[
                             {"account":"dark","parent":"physics","guarantee":{"gres/gpu":4},"used":{"cpu":9,"gres/gpu":6,"mem":9},"borrowed":{"cpu":3,"gres/gpu":2},"lent":{},"running":3,"pending":1},
                             {"account":"physics","guarantee":{"gres/gpu":16},"used":{"cpu":9,"gres/gpu":6,"mem":9},"borrowed":{},"lent":{"gres/gpu":10},"running":3,"pending":2},
                             {"account":"guests","parent":"hidden","guarantee":{},"used":{"gres/gpu":10},"borrowed":{"gres/gpu":10},"lent":{},"running":5,"pending":40}],
                             "capacity":{"cpu":64,"gres/gpu":8},"guaranteed":{"gres/gpu":16}}
                            """);

    @AfterEach
    void close() {
        mesh.close();
    }

    @Test
    void accounts_stand_below_their_parents_and_what_is_not_there_is_told() {
        assertThat(new CommandRun(mesh).run("queues").out())
                .isEqualTo(
                        """
                        Account                     Guarantee             Used         Borrowed             Lent  Running  Pending\s
                        -------------------- ---------------- ---------------- ---------------- ---------------- -------- --------\s
                        physics                   gres/gpu=16       gres/gpu=6                       gres/gpu=10        3        2\s
                         dark                      gres/gpu=4       gres/gpu=6       gres/gpu=2                         3        1\s
                        guests                                     gres/gpu=10      gres/gpu=10                         5       40\s
                        Guaranteed are gres/gpu=16, of which there are gres/gpu=8 on nodes that are up.
                        """);
    }

    @Test
    void a_program_reads_the_values_alone() {
        assertThat(new CommandRun(mesh).run("queues", "-n", "-P").out())
                .startsWith("physics|gres/gpu=16|gres/gpu=6||gres/gpu=10|3|2\n");
    }
}
