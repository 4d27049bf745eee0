package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SinfoTest {

    private static final String[] BUSY = {
        "ALLOCATED", "ALLOCATED", "ALLOCATED", "ALLOCATED",
        "ALLOCATED", "ALLOCATED", "ALLOCATED", "ALLOCATED"
    };

    private final FakeMesh mesh =
            new FakeMesh()
                    .on("GET", "/v1/partitions", Samples.PARTITIONS)
                    .on("GET", "/v1/nodes", Samples.nodes(BUSY));

    @AfterEach
    void close() {
        mesh.close();
    }

    private String out(String... words) {
        return new CommandRun(mesh).run(words).out();
    }

    @Test
    void partitions_look_as_slurms() {
        assertThat(out("sinfo"))
                .isEqualTo(
                        """
                        PARTITION   AVAIL  TIMELIMIT  NODES  STATE NODELIST
                        training*      up 7-00:00:00      8  alloc node[01-08]
                        interactive    up    4:00:00      2  alloc node[01-02]
                        """);
    }

    @Test
    void all_fields_stand_with_a_bar_between_them() {
        List<String> lines = out("sinfo", "-N", "-o", "%all").lines().toList();

        assertThat(lines.getFirst())
                .startsWith("AVAIL|ACTIVE_FEATURES|CPUS|")
                .contains("|S:C:T|NODES(A/I)|");
        assertThat(lines.get(1)).startsWith("up|").contains("|node01|").contains("|1/0|");
        assertThat(out("sinfo", "-N", "-O", "all")).isEqualTo(out("sinfo", "-N", "-o", "%all"));
    }

    @Test
    void the_long_listing_looks_as_slurms() {
        assertThat(out("sinfo", "-l"))
                .isEqualTo(
                        """
                        Fri Nov 20 10:01:06 2026
                        PARTITION   AVAIL  TIMELIMIT   JOB_SIZE ROOT OVERSUBS     GROUPS  NODES       STATE NODELIST
                        training*      up 7-00:00:00 1-infinite   no       NO        all      8   allocated node[01-08]
                        interactive    up    4:00:00          1   no       NO        all      2   allocated node[01-02]
                        """);
    }

    @Test
    void the_summary_looks_as_slurms() {
        assertThat(out("sinfo", "-s"))
                .isEqualTo(
                        """
                        PARTITION   AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST
                        training*      up 7-00:00:00          8/0/0/8 node[01-08]
                        interactive    up    4:00:00          2/0/0/2 node[01-02]
                        """);
    }

    @Test
    void nodes_look_as_slurms() {
        assertThat(out("sinfo", "-N").lines().limit(4))
                .containsExactly(
                        "NODELIST   NODES   PARTITION STATE ",
                        "node01         1   training* alloc ",
                        "node01         1 interactive alloc ",
                        "node02         1   training* alloc ");
        assertThat(out("sinfo", "-Nl").lines().limit(3))
                .containsExactly(
                        "Fri Nov 20 10:01:06 2026",
                        "NODELIST   NODES   PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON              ",
                        "node01         1   training*   allocated 128    2:64:1 512000        0      1   (null) none                ");
    }

    @Test
    void nodes_in_different_states_stand_in_different_lines() {
        mesh.on(
                "GET",
                "/v1/nodes",
                Samples.nodes("IDLE", "MIXED", "ALLOCATED", "DOWN", "NOT_RESPONDING", "IDLE"));

        assertThat(out("sinfo", "-h", "-p", "training", "-o", "%t %D %N"))
                .isEqualTo(
                        """
                        idle* 1 node05
                        down* 1 node04
                        mix 1 node02
                        alloc 1 node03
                        idle 2 node[01,06]
                        """);
    }

    @Test
    void nodes_that_respond_and_those_that_do_not_are_told_apart() {
        mesh.on("GET", "/v1/nodes", Samples.nodes("IDLE", "DOWN", "NOT_RESPONDING"));

        assertThat(out("sinfo", "-h", "-p", "training", "-r", "-M", "all", "-o", "%N"))
                .isEqualTo("node01\n");
        assertThat(out("sinfo", "-h", "-p", "training", "-d", "-o", "%t %N"))
                .isEqualTo("idle* node03\ndown* node02\n");
    }

    @Test
    void cpus_and_gres_are_told() {
        mesh.on("GET", "/v1/nodes", Samples.nodes("MIXED", "IDLE"));

        assertThat(out("sinfo", "-h", "-p", "interactive", "-o", "%C %F %G %e %O"))
                .isEqualTo("64/192/0/256 1/1/0/2 gpu:a100:8 16675 7.69\n");
    }

    @Test
    void columns_have_names_too() {
        assertThat(
                        out(
                                "sinfo",
                                "-p",
                                "interactive",
                                "-O",
                                "nodehost:8,StateLong:.12,GresUsed,Time"))
                .isEqualTo(
                        """
                        HOSTNAME       STATEGRES_USED           TIMELIMIT          \s
                        node01     allocatedgpu:a100:8(IDX:0-7) 4:00:00            \s
                        node02     allocatedgpu:a100:8(IDX:0-7) 4:00:00            \s
                        """);
        assertThat(new CommandRun(mesh).run("sinfo", "-O", "colour").err())
                .isEqualTo("sinfo: error: Invalid node format specification: colour\n");
    }

    @Test
    void lines_stand_in_the_order_that_is_asked_for() {
        mesh.on("GET", "/v1/nodes", Samples.nodes("IDLE", "MIXED", "ALLOCATED"));

        assertThat(out("sinfo", "-h", "-o", "%R %t %N", "-S", "P,t"))
                .isEqualTo(
                        """
                        interactive idle node01
                        interactive mix node02
                        training idle node01
                        training alloc node03
                        training mix node02
                        """);
        assertThat(out("sinfo", "-h", "-o", "%R %t", "-S", "#P,-t"))
                .isEqualTo(out("sinfo", "-h", "-o", "%R %t"));
        assertThat(out("sinfo", "-h", "-N", "-p", "training", "-o", "%n", "-S", "-n"))
                .isEqualTo("node03\nnode02\nnode01\n");
        assertThat(
                        new CommandRun(mesh)
                                .with("SINFO_SORT", "-P")
                                .with("SINFO_FORMAT", "%R")
                                .run("sinfo", "-h")
                                .out())
                .isEqualTo("training\ninteractive\n");
        assertThat(new CommandRun(mesh).run("sinfo", "-S", "#t").err())
                .isEqualTo("sinfo: error: Invalid sort specification: #t\n");
    }

    @Test
    void numbers_are_ordered_as_numbers() {
        String all = "ALLOCATED ".repeat(9) + "MIXED";
        mesh.on(
                "GET",
                "/v1/nodes",
                Samples.nodes(all.split(" "))
                        .replaceFirst("\"loadPercent\":769", "\"loadPercent\":1201")
                        .replaceFirst("\"sockets\":2", "\"sockets\":16"));
        mesh.on(
                "GET",
                "/v1/partitions",
                Samples.PARTITIONS.replace("604800", "7200").replace("14400", "36000"));

        assertThat(first("%R %l", "l")).isEqualTo("training 2:00:00");
        assertThat(first("%R %L", "-L")).isEqualTo("training 1-00:00:00");
        assertThat(first("%R %F", "-F")).isEqualTo("training 10/0/0/10");
        assertThat(first("%R %A", "A")).isEqualTo("interactive 2/0");
        assertThat(first("%R %n %O", "-O")).endsWith(" node01 12.01");
        assertThat(first("%R %n %z", "-z")).endsWith(" node01 16:64:1");
        assertThat(first("%R %n %C", "C")).isEqualTo("training node10 64/64/0/128");
    }

    private String first(String columns, String order) {
        return out("sinfo", "-h", "-o", columns, "-S", order).lines().findFirst().orElse("");
    }

    @Test
    void it_is_listed_again_until_it_is_interrupted() {
        var run = new CommandRun(mesh).interrupted(2);

        assertThat(run.run("sinfo", "-i", "30", "-p", "interactive", "-o", "%R").out())
                .isEqualTo(
                        """
                        Fri Nov 20 10:01:06 2026
                        PARTITION
                        interactive

                        Fri Nov 20 10:01:36 2026
                        PARTITION
                        interactive

                        """);
        assertThat(run.pauses()).containsOnly(Duration.ofSeconds(30));
    }

    @Test
    void simulated_gpus_are_marked() {
        mesh.on(
                "GET",
                "/v1/nodes",
                Samples.nodes("IDLE").replace("\"simulated\":false", "\"simulated\":true"));

        assertThat(out("sinfo", "-h", "-p", "training", "-o", "%G"))
                .isEqualTo("gpu:a100:8(simulated)\n");
        assertThat(out("sinfo", "-h", "-N", "-p", "training", "-O", "GresUsed:60"))
                .contains("(simulated)");
    }

    @Test
    void only_nodes_in_the_state_asked_for_are_listed() {
        mesh.on("GET", "/v1/nodes", Samples.nodes("IDLE", "MIXED"));

        assertThat(out("sinfo", "-h", "-N", "-t", "idle", "-p", "training", "-o", "%n"))
                .isEqualTo("node01\n");
    }

    @Test
    void states_have_long_and_short_names_and_several_are_one_or_the_other() {
        mesh.on(
                "GET",
                "/v1/nodes",
                Samples.nodes("IDLE", "MIXED", "DRAINED", "DRAINING", "NOT_RESPONDING", "DOWN"));

        assertThat(inState("drain")).isEqualTo("node[03-04]\n");
        assertThat(inState("drained")).isEqualTo("node03\n");
        assertThat(inState("drng")).isEqualTo("node04\n");
        assertThat(inState("DRAINING,mix,Down")).isEqualTo("node[02,04,06]\n");
        assertThat(inState("idle")).isEqualTo("node[01,05]\n");
        assertThat(inState("idle*")).isEqualTo("node05\n");
        assertThat(inState("no_respond")).isEqualTo("node[03-06]\n");
        assertThat(inState("all")).isEqualTo("node[01-06]\n");
        assertThat(inState("planned,powered_down")).isEqualTo("\n");
    }

    private String inState(String states) {
        return out("sinfo", "-h", "-p", "training", "-t", states, "-o", "%N");
    }

    @Test
    void a_state_that_there_is_not_is_refused() {
        var outcome = new CommandRun(mesh).run("sinfo", "-t", "idle,foo");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err())
                .startsWith(
                        "sinfo: error: Bad state string: \"foo\"\nsinfo: error: valid states: unknown,unk,down,idle,");
    }

    @Test
    void nodes_that_operators_drain_say_why() {
        mesh.on(
                "GET",
                "/v1/nodes",
                Samples.nodes("DRAINED", "DRAINING", "IDLE")
                        .replace(
                                "\"isolation\"",
                                "\"responding\":true,\"features\":[\"a100\",\"nvme\"],\"isolation\"")
                        .replaceFirst(
                                "\"isolation\"",
                                "\"reason\":\"bad fan\",\"reasonUser\":\"root\",\"reasonAt\":1763632856000,\"isolation\""));

        assertThat(out("sinfo", "-h", "-p", "training", "-o", "%t %T %f %N"))
                .isEqualTo(
                        """
                        idle idle a100,nvme node03
                        drng draining a100,nvme node02
                        drain drained a100,nvme node01
                        """);
        assertThat(out("sinfo", "-R"))
                .isEqualTo(
                        """
                        REASON               USER      TIMESTAMP           NODELIST
                        bad fan              root      2025-11-20T10:00:56 node01
                        """);
    }
}
