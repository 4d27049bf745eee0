package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The listings are those of a real Slurm 22.05.8 for these jobs and weights.
final class SprioTest {

    private final FakeMesh mesh =
            new FakeMesh()
                    .on(
                            "GET",
                            "/v1/priorities",
                            """
                            {"weights":{"age":1000,"association":0,"fairShare":10000,"jobSize":1000,"partition":0,
                              "qos":10000,"tres":{}},"jobs":[
                             {"job":1016,"partition":"training","user":"alice","account":"team_a","qos":"normal",
                              "points":1316,"priority":{"total":1316.406250,"age":0.0,"association":0.0,
                              "fairShare":1250.0,"jobSize":66.406250,"partition":0.0,"qos":0.0,"tres":0.0,"nice":0.0}},
                             {"job":1021,"partition":"training","user":"eve","account":"team_c","qos":"high",
                              "points":20701,"priority":{"total":20701.953125,"age":0.0,"association":0.0,
                              "fairShare":10000.0,"jobSize":251.953125,"partition":0.0,"qos":10000.0,"tres":0.0,
                              "site":500.0,"nice":-50.0}},
                             {"job":1022,"partition":"interactive","user":"alice","account":"team_a","qos":"normal",
                              "points":1312,"priority":{"total":1312.988281,"age":0.0,"association":0.0,
                              "fairShare":1250.0,"jobSize":62.988281,"partition":0.0,"qos":0.0,"tres":0.0,
                              "nice":0.0}}]}
                            """);

    @AfterEach
    void close() {
        mesh.close();
    }

    private String out(String... words) {
        return new CommandRun(mesh).run(words).out();
    }

    @Test
    void the_parts_that_have_a_weight_are_shown() {
        assertThat(out("sprio"))
                .isEqualTo(
                        """
                                  JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE    JOBSIZE        QOS
                                   1016 training        1316          0          0       1250         66          0
                                   1021 training       20701        500          0      10000        252      10000
                                   1022 interacti       1312          0          0       1250         63          0
                        """);
    }

    @Test
    void the_long_listing_has_all_parts() {
        assertThat(out("sprio", "-l", "-u", "eve"))
                .isEqualTo(
                        """
                                  JOBID PARTITION     USER   PRIORITY       SITE        AGE      ASSOC  FAIRSHARE    JOBSIZE  PARTITION        QOS        NICE                 TRES
                                   1021 training       eve      20701        500          0          0      10000        252          0      10000          50                    \s
                        """);
    }

    @Test
    void lines_are_in_the_order_that_is_asked_for() {
        assertThat(out("sprio", "-h", "-o", "%i", "-S", "-Y")).isEqualTo("1021\n1016\n1022\n");
        assertThat(out("sprio", "-h", "-o", "%i", "-S", "u,-i")).isEqualTo("1022\n1016\n1021\n");
        assertThat(new CommandRun(mesh).run("sprio", "-S", "Z").err())
                .isEqualTo("sprio: error: Invalid sort specification: Z\n");
    }

    @Test
    void factors_are_parts_of_their_weights() {
        assertThat(out("sprio", "-n", "-j", "1016"))
                .isEqualTo(
                        """
                                  JOBID PARTITION     USER PRIORITY   AGE        ASSOC      FAIRSHARE  JOBSIZE    PARTITION  QOS        TRES               \s
                                   1016 training     alice 0.00000030 0.0000000  0.0000000  0.1250000  0.0664062  0.0000000  0.0000000                     \s
                        """);
    }

    @Test
    void tasks_of_an_array_are_asked_for_by_it() {
        mesh.on(
                "GET",
                "/v1/priorities",
                """
                {"jobs":[{"job":17,"arrayJob":17,"arrayTask":1},{"job":18,"arrayJob":17,"arrayTask":2},
                 {"job":19,"arrayJob":17,"arrayTask":3},{"job":20}]}
                """);

        assertThat(out("sprio", "-h", "-o", "%i", "-j", "17_[1,3],20"))
                .isEqualTo("17_1\n17_3\n20\n");
        assertThat(out("sprio", "-h", "-o", "%i", "-j", "17")).isEqualTo("17_1\n17_2\n17_3\n");
        assertThat(new CommandRun(mesh).run("sprio", "-j", "x").err())
                .isEqualTo("sprio: error: Invalid job id: x\n");
    }

    @Test
    void weights_stand_alone() {
        assertThat(out("sprio", "-w"))
                .isEqualTo(
                        """
                                  JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE    JOBSIZE        QOS
                                Weights                               1       1000      10000       1000      10000
                        """);
    }

    @Test
    void columns_can_be_chosen() {
        assertThat(out("sprio", "-h", "-o", "%i|%u|%Y|%n", "-p", "interactive"))
                .isEqualTo("1022|alice|1312|normal\n");
    }

    @Test
    void jobs_that_do_not_wait_are_not_found() {
        assertThat(new CommandRun(mesh).run("sprio", "-j", "999999"))
                .isEqualTo(
                        new Outcome(0, "Unable to find jobs matching user/id(s) specified\n", ""));
    }

    @Test
    void a_job_id_that_is_none_is_refused() {
        assertThat(new CommandRun(mesh).run("sprio", "-j", "x"))
                .isEqualTo(new Outcome(1, "", "sprio: error: Invalid job id: x\n"));
    }
}
