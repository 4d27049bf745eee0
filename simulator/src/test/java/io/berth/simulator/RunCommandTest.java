package io.berth.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RunCommandTest {

    @TempDir Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /// In group a, j2 waits 9 s for j1; j3 of group b has its own node.
    @BeforeEach
    void writeFiles() throws IOException {
        Files.writeString(
                folder.resolve("jobs.csv"),
                """
                job_id,group,submit_s,duration_s,gpus
                j1,a,0,10,2
                j2,a,1,20,2
                j3,b,2,5,1
                j4,b,3,,1
                """);
        Files.writeString(
                folder.resolve("nodes.csv"),
                "node_id,gpu_type,gpus,partition\nn1,T4,2,a\nn2,T4,2,b\n");
    }

    private int run(String... more) {
        var words =
                new ArrayList<>(
                        List.of(
                                "run",
                                "--jobs=" + folder.resolve("jobs.csv"),
                                "--nodes=" + folder.resolve("nodes.csv")));
        words.addAll(List.of(more));
        return Main.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                words);
    }

    @Test
    void the_packing_policy_is_one_that_a_live_cell_has() {
        assertThat(run("--packing=fgd")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("nodes x1.0, packing fgd\n");

        assertThat(run("--packing=fgd-paper")).isNotZero();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("--packing: 'fgd-paper' is none of default, fgd, tightest");
    }

    private JsonNode json() throws IOException {
        return new ObjectMapper().readTree(out.toByteArray());
    }

    @Test
    void groups_are_scheduled_each_alone() throws Exception {
        assertThat(run("--by-group", "--json")).isZero();

        assertThat(json().at("/jobs").intValue()).isEqualTo(3);
        assertThat(json().at("/wait_s/mean").doubleValue()).isEqualTo(3);
        assertThat(json().at("/jct_s/max").doubleValue()).isEqualTo(29);
        assertThat(json().at("/makespan_s").doubleValue()).isEqualTo(30);
        assertThat(json().at("/groups/0/group").textValue()).isEqualTo("a");
        assertThat(json().at("/groups/0/wait_s/mean").doubleValue()).isEqualTo(4.5);
        assertThat(json().at("/groups/0/use_percent").doubleValue()).isEqualTo(100);
        assertThat(json().at("/groups/1/wait_s/mean").doubleValue()).isZero();
        assertThat(json().at("/simulated").booleanValue()).isTrue();
    }

    @Test
    void together_they_share_all_nodes() throws Exception {
        assertThat(run("--json")).isZero();

        assertThat(json().at("/groups")).isEmpty();
        assertThat(json().at("/gpus").intValue()).isEqualTo(4);
        assertThat(json().at("/wait_s/max").doubleValue()).isEqualTo(8);
    }

    /// j3 of group b, submitted last, takes the place of j1 at once.
    @Test
    void a_group_of_a_higher_tier_takes_the_place_of_others() throws Exception {
        assertThat(run("--tiers=b=10", "--nodes-scale=0.5", "--json")).isZero();

        assertThat(json().at("/gave_way").intValue()).isEqualTo(1);
        assertThat(json().at("/rules").textValue()).endsWith(", tiers b=10, mode requeue");
    }

    @Test
    void a_job_of_another_qos_takes_a_place_with_grace() throws Exception {
        assertThat(run("--preempt=b=a", "--grace=3", "--nodes-scale=0.5", "--json")).isZero();

        assertThat(json().at("/gave_way").intValue()).isEqualTo(1);
        assertThat(json().at("/rules").textValue())
                .endsWith(", preempt b=a, mode requeue, grace 3 s");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --tiers=b                          | --tiers: 'b' is not a group and its tier, such as prod=10
                    --tiers=c=10                       | no job is of the group 'c'; there are a, b
                    --preempt=a=b+c                    | no job is of the group 'c'; there are a, b
                    --tiers=b=10 --by-group            | --by-group: no group meets another one to take its place
                    --tiers=b=10 --preempt=a=b         | --tiers: not with --preempt
                    --preempt=a                        | --preempt: 'a' is not a group and those whose place it takes, such as prod=dev+test
                    --preempt=a=b,b=a                  | --preempt: jobs of a would preempt one another for ever
                    --grace=3                          | --grace: only with --tiers or --preempt
                    --tiers=b=10 --preempt-mode=stop   | --preempt-mode: 'stop' is none of requeue, cancel, suspend, suspend,gang
                    --tiers=b=10 --preempt-mode=suspend,gang | --preempt-mode: jobs take turns in one partition alone: gang is for --preempt
                    --tiers=b=10 --gpu-mode=off        | --gpu-mode: only with --preempt-mode suspend
                    --preempt=a=b --time-slice=9       | --time-slice: only with --preempt-mode suspend,gang
                    --tiers=b=10 --estimates=predicted | --estimates: where jobs give way, they have limits: not predicted
                    """)
    void rules_of_preemption_that_are_none_are_refused(String words, String message) {
        assertThat(run(words.split(" "))).isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8)).endsWith(": " + message + "\n");
    }

    @Test
    void accounts_that_share_all_nodes_are_told_apart() throws Exception {
        assertThat(run("--by-account", "--policy=fairshare", "--json")).isZero();

        assertThat(json().at("/accounts/0/account").textValue()).isEqualTo("a");
        assertThat(json().at("/accounts/0/shares_percent").doubleValue()).isEqualTo(50);
        assertThat(json().at("/accounts/0/jobs").intValue()).isEqualTo(2);
        assertThat(json().at("/accounts/1/wait_s/mean").doubleValue()).isEqualTo(8);
    }

    @Test
    void groups_that_share_nothing_are_no_accounts() {
        assertThat(run("--by-account", "--by-group")).isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("--by-account: with --by-group the groups share nothing");
    }

    @Test
    void half_the_nodes_are_every_other_one() throws Exception {
        assertThat(run("--nodes-scale=0.5", "--json")).isZero();

        assertThat(json().at("/nodes").intValue()).isEqualTo(1);
        assertThat(json().at("/wait_s/max").doubleValue()).isEqualTo(28);
    }

    @Test
    void a_period_of_the_trace_is_run_alone() throws Exception {
        assertThat(run("--from=1", "--to=2", "--json")).isZero();

        assertThat(json().at("/jobs").intValue()).isEqualTo(1);
    }

    @Test
    void what_became_of_each_job_is_written_where_that_is_wanted() throws Exception {
        Path csv = folder.resolve("out.csv");

        assertThat(run("--by-group", "--csv=" + csv)).isZero();

        assertThat(csv)
                .hasContent(
                        """
                        job_id,group,gpus,submit_s,start_s,end_s,wait_s,expected_start_s,backfilled
                        j1,a,2,0.000,0.000,10.000,0.000,,false
                        j2,a,2,1.000,10.000,30.000,9.000,12.000,false
                        j3,b,1,2.000,2.000,7.000,0.000,,false
                        """);
    }

    /// Two of four GPUs are in use at first, on an axis up to six. Two of three jobs wait for at
    /// most a second, all for at most ten.
    @Test
    void a_page_shows_the_gpus_in_use_and_the_waits() throws Exception {
        Path page = folder.resolve("out.html");

        assertThat(run("--by-group", "--html=" + page)).isZero();

        assertThat(page)
                .content()
                .contains("<title>Simulation of jobs.csv</title>", "Nothing here ran on GPUs")
                .contains(
                        "GPUs in use",
                        "points='70.9,154.7 ",
                        "points='70.0,89.3 ",
                        " 820.0,24.0 '/>")
                .doesNotContain("NaN");
    }

    @Test
    void the_text_says_that_it_is_simulated_and_what_was_left_out() {
        assertThat(run("--by-group", "--backfill=conservative")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith(
                        "jobs.csv: 3 jobs on 2 nodes with 4 GPUs, simulated; order fifo, backfill"
                                + " conservative of depth 100, estimates actual, nodes x1.0\n")
                .contains(
                        "1 jobs were told an expected start: 100.00 % started by then, half of"
                                + " these 2 s before or more\n");
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("left out 1 jobs without a time of submission or a run time\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--policy=lifo | --policy: 'lifo' is none of fifo, sjf, predicted, smallest, fairshare",
                "--backfill=on | --backfill: 'on' is none of easy, conservative, off",
                "--estimates=x0 | --estimates: 'x0' is none of actual, x1 to x9999, limit, predicted, none",
                "--nodes-scale=much | --nodes-scale: 'much' is not a number",
                "--nodes-scale=0 | --nodes-scale: 0 is not between 0.001 and 1000.0",
                "--half-life=soon | --half-life: 'soon' is no time, such as 7-0 for seven days",
                "--depth=1.5 | --depth: 1.5 is not a whole number",
                "--nodes-scale=0.01 | --nodes-scale leaves no node",
                "--from=100 | no job to run: none with known times in that period"
            })
    void a_wrong_option_is_named_with_what_is_allowed(String option, String message) {
        assertThat(run(option)).isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .endsWith("berth sim: error: " + message + "\n");
    }

    @Test
    void a_group_without_nodes_is_named() throws Exception {
        Files.writeString(
                folder.resolve("nodes.csv"), "node_id,gpu_type,gpus,partition\nn1,T4,2,a\n");

        assertThat(run("--by-group")).isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .endsWith("nodes.csv has no nodes of partition b\n");
    }
}
