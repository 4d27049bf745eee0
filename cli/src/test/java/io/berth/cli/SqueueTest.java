package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.client.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SqueueTest {

    private final FakeMesh mesh = new FakeMesh().on("GET", "/v1/jobs", Samples.queue());

    @AfterEach
    void close() {
        mesh.close();
    }

    @Test
    void the_queue_looks_as_slurms() {
        Outcome outcome = new CommandRun(mesh).run("squeue");

        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out())
                .isEqualTo(
                        """
                                     JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
                                      1021  training   e_high      eve PD       0:00      4 (Resources)
                                      1020  training    j_eve      eve PD       0:00      1 (Priority)
                                      1019  training   j_dave     dave PD       0:00      1 (Priority)
                                      1018  training  j_carol    carol PD       0:00      1 (Priority)
                                      1023  training      dep    carol PD       0:00      1 (Dependency)
                                      1017  training    j_bob      bob PD       0:00      1 (Priority)
                                      1016  training  j_alice    alice PD       0:00      1 (Priority)
                                      1015  training   filler     root  R       0:10      8 node[01-08]
                        """);
    }

    @Test
    void all_fields_stand_with_a_bar_between_them() {
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + Samples.running() + "]}");

        List<String> lines =
                new CommandRun(mesh).run("squeue", "-o", "%all").out().lines().toList();

        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst())
                .startsWith("ACCOUNT|TRES_PER_NODE|MIN_CPUS|MIN_TMP_DISK|END_TIME|")
                .contains("|S:C:T|JOBID|EXEC_HOST|")
                .endsWith("|SCHEDNODES|WORK_DIR");
        assertThat(lines.getLast().split("\\|", -1))
                .hasSameSizeAs(lines.getFirst().split("\\|", -1))
                .startsWith("bench", "gres:gpu:8");
    }

    /// Begins in ten minutes.
    private static final String LATER =
            "{\"id\":17,\"state\":\"PENDING\",\"reason\":\"BeginTime\",\"timeLimitSeconds\":60,\"beginAt\":%d}"
                    .formatted(CommandRun.NOW + 600_000);

    @Test
    void a_job_that_waits_for_its_begin_starts_then() {
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + LATER + "]}");

        assertThat(new CommandRun(mesh).run("squeue", "-h", "-o", "%S %e").out())
                .isEqualTo("2026-11-20T10:11:06 2026-11-20T10:12:06\n");
        assertThat(new CommandRun(mesh).run("squeue", "-h", "-O", "StartTime").out())
                .startsWith("2026-11-20T10:11:06");
        assertThat(new CommandRun(mesh).run("squeue", "--start").out())
                .contains("2026-11-20T10:11:06");
        assertThat(
                        new CommandRun(mesh)
                                .at(CommandRun.NOW + 600_001)
                                .run("squeue", "-h", "-o", "%S")
                                .out())
                .isEqualTo("N/A\n");
    }

    @Test
    void a_waiting_job_has_a_line_for_each_of_its_partitions_where_that_is_asked_for() {
        mesh.on(
                        "GET",
                        "/v1/jobs",
                        """
                        {"jobs":[
                         {"id":7,"state":"PENDING","partition":"low,high","priority":10},
                         {"id":8,"state":"PENDING","partition":"low","priority":20},
                         {"id":9,"state":"RUNNING","partition":"high","priority":5},
                         {"id":11,"arrayJob":11,"arrayTask":1,"state":"PENDING","partition":"low,high","priority":4},
                         {"id":12,"arrayJob":11,"arrayTask":2,"state":"PENDING","partition":"low,high","priority":4}]}
                        """)
                .on(
                        "GET",
                        "/v1/partitions",
                        "{\"partitions\":[{\"name\":\"low\",\"tier\":1},{\"name\":\"high\",\"tier\":5}]}");
        List<String> words = List.of("squeue", "-h", "-o", "%i %P", "-S", "-p,i");

        assertThat(new CommandRun(mesh).run(with(words)).out())
                .isEqualTo("8 low\n7 low,high\n9 high\n11_[1-2] low,high\n");
        assertThat(new CommandRun(mesh).run(with(words, "-P")).out())
                .isEqualTo("7 high\n9 high\n11_[1-2] high\n8 low\n7 low\n11_[1-2] low\n");
        assertThat(new CommandRun(mesh).run(with(words, "-P", "-r", "-p", "high")).out())
                .isEqualTo("7 high\n9 high\n11_1 high\n11_2 high\n");
    }

    private static List<String> with(List<String> words, String... more) {
        return Stream.concat(words.stream(), Stream.of(more)).toList();
    }

    @Test
    void a_component_is_named_by_its_set_and_place() {
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + Samples.component(17, 1) + "]}");

        assertThat(new CommandRun(mesh).run("squeue", "-h", "-o", "%i %A").out())
                .isEqualTo("17+1 18\n");
        assertThat(new CommandRun(mesh).run("squeue", "--json").out())
                .contains("\"het_job_id\" : 17")
                .contains("\"het_job_offset\" : 1")
                .contains("\"het_job_id_set\" : \"17-18\"");
    }

    @Test
    void a_job_on_one_thread_of_each_core_says_so() {
        String job = Samples.running().replace("\"gpus\":64", "\"threadsUsed\":1,\"gpus\":64");
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + job + "]}").on("GET", "/v1/jobs/1015", job);

        assertThat(new CommandRun(mesh).run("squeue", "-h", "-o", "%z %J").out())
                .isEqualTo("*:*:1 1\n");
        assertThat(new CommandRun(mesh).run("squeue", "--json").out())
                .contains("\"threads_per_core\" : 1");
        assertThat(new CommandRun(mesh).run("scontrol", "show", "job", "1015").out())
                .contains("ReqB:S:C:T=0:0:*:1");
    }

    @Test
    void the_long_queue_has_a_date_and_limits() {
        Outcome outcome = new CommandRun(mesh).run("squeue", "-l");

        assertThat(outcome.out().lines().limit(3))
                .containsExactly(
                        "Fri Nov 20 10:01:06 2026",
                        "             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES NODELIST(REASON)",
                        "              1021  training   e_high      eve  PENDING       0:00      5:00      4 (Resources)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--start", "--sort=i", "--Format=JobID"})
    void what_is_not_for_steps_is_refused_beside_them(String option) {
        assertThat(new CommandRun(mesh).run("squeue", "-s", option))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "squeue: error: %s is not for --steps\n"
                                        .formatted(option.replaceFirst("=.*", ""))));
    }

    @Test
    void scripts_and_steps_of_running_jobs_are_listed() {
        mesh.on(
                "GET",
                "/v1/steps",
                """
                {"steps":[{"job":1015,"step":0,"name":"train.py","tasks":8,"beganAt":%d,"nodes":["node01","node02"]},
                          {"job":1015,"step":3,"tasks":1,"nodes":["node02"]}]}\
                """
                        .formatted(CommandRun.NOW - 65_000));

        assertThat(new CommandRun(mesh).run("squeue", "-s").out())
                .isEqualTo(
                        """
                                 STEPID     NAME PARTITION     USER      TIME NODELIST
                                 1015.0 train.py  training     root      1:05 node[01-02]
                                 1015.3           training     root           node02
                             1015.batch    batch  training     root      0:10 node01
                        """);
        assertThat(new CommandRun(mesh).run("squeue", "-hs1015.0,7.1", "-o", "%i %A").out())
                .isEqualTo("1015.0 8\n");
        assertThat(mesh.requests())
                .extracting(FakeMesh.Request::path)
                .endsWith("/v1/jobs?job=1015,7", "/v1/steps?job=1015,7");
        assertThat(
                        new CommandRun(mesh)
                                .with("SQUEUE_SORT", "i")
                                .run("squeue", "-h", "-s", "-j", "1015,1016", "-o", "%i")
                                .out())
                .isEqualTo("1015.0\n1015.3\n1015.batch\n");
        assertThat(mesh.requests().getLast().path()).isEqualTo("/v1/steps?job=1015,1016");
        assertThat(new CommandRun(mesh).run("squeue", "-s1015.batch", "--json").out())
                .contains("\"id\" : \"1015.batch\"", "\"number_tasks\" : 1")
                .doesNotContain("1015.3");
        assertThat(new CommandRun(mesh).run("squeue", "--steps=1015.x").err())
                .isEqualTo("squeue: error: Invalid job_step id: 1015.x\n");
    }

    @Test
    void columns_order_and_titles_can_be_chosen() {
        Outcome outcome =
                new CommandRun(mesh).run("squeue", "-h", "-S", "-i", "-o", "%i|%b|%L|%S|%8u|");

        assertThat(outcome.out().lines())
                .startsWith("1023|gres:gpu:1|5:00|N/A|carol   |")
                .endsWith("1015|gres:gpu:8|2:50|2026-11-20T10:00:56|root    |");
    }

    @Test
    void filters_are_asked_of_the_gateway() {
        new CommandRun(mesh).run("squeue", "-u", "eve,bob", "-t", "pd,running", "-p", "training");

        assertThat(mesh.requests().getFirst().path())
                .isEqualTo("/v1/jobs?state=PENDING,RUNNING&user=eve,bob&partition=training");
    }

    @Test
    void me_is_whom_the_admin_acts_for() {
        new CommandRun(mesh).with("BERTH_USER", "carol").run("squeue", "--me");

        assertThat(mesh.requests().getFirst().path()).isEqualTo("/v1/jobs?user=carol");
    }

    @Test
    void names_and_accounts_are_filtered_here() {
        assertThat(new CommandRun(mesh).run("squeue", "-h", "-o", "%i", "-n", "dep").out())
                .isEqualTo("1023\n");
        assertThat(new CommandRun(mesh).run("squeue", "-h", "-o", "%i", "-A", "bench").out())
                .isEqualTo("1015\n");
    }

    @Test
    void a_failed_job_shows_why_and_a_completed_one_where_it_ran() {
        mesh.on(
                "GET",
                "/v1/jobs",
                "{\"jobs\":["
                        + Samples.ended(1, "FAILED", "F", 7, 0).replace("None", "NonZeroExitCode")
                        + ","
                        + Samples.ended(2, "COMPLETED", "CD", 0, 0)
                        + "]}");

        Outcome outcome = new CommandRun(mesh).run("squeue", "-h", "-t", "all", "-o", "%t %R");

        assertThat(outcome.out()).isEqualTo("CD node03\nF (NonZeroExitCode)\n");
    }

    @Test
    void json_has_slurms_names_and_the_gateways_view() throws Exception {
        Outcome outcome = new CommandRun(mesh).run("squeue", "--json");

        JsonObject first =
                JsonObject.read(outcome.out().getBytes(java.nio.charset.StandardCharsets.UTF_8))
                        .objects("jobs")
                        .getFirst();
        assertThat(first.number("job_id")).isEqualTo(1021);
        assertThat(first.text("job_state")).isEqualTo("PENDING");
        assertThat(first.number("time_limit")).isEqualTo(5);
        assertThat(first.object("berth").text("stateCode")).isEqualTo("PD");
    }

    @Test
    void json_has_the_fields_of_slurms_data_parser() throws Exception {
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + Samples.running() + "]}");
        mesh.on("GET", "/v1/jobs/1015", Samples.running());

        JsonObject all = JsonObject.read(bytes(run("--json")));

        assertThat(all.object("meta").object("plugin").text("type")).isEqualTo("openapi/v0.0.38");
        assertThat(all.objects("errors")).isEmpty();
        JsonObject job = all.objects("jobs").getFirst();
        assertThat(job.fields())
                .containsEntry("user_id", 0L)
                .containsEntry("array_job_id", 0L)
                .containsEntry("array_task_id", null)
                .containsEntry("batch_host", "node01")
                .containsEntry("current_working_directory", "/tmp")
                .containsEntry("standard_output", "/dev/null")
                .containsEntry(
                        "tres_alloc_str", "cpu=1024,mem=100G,node=8,billing=1024,gres/gpu=64")
                .containsEntry("time_limit", 3L);
        assertThat(job.fields().keySet()).containsAll(JSON_OF_SCRIPTS);
    }

    /// What scripts with jq read of Slurm's, and of each of its jobs is there.
    private static final List<String> JSON_OF_SCRIPTS =
            List.of(
                    "account",
                    "command",
                    "cpus",
                    "dependency",
                    "end_time",
                    "exit_code",
                    "group_name",
                    "job_state",
                    "memory_per_node",
                    "node_count",
                    "nodes",
                    "requeue",
                    "standard_error",
                    "start_time",
                    "state_reason",
                    "submit_time",
                    "tasks",
                    "tres_per_node",
                    "tres_req_str",
                    "user_name");

    private static byte[] bytes(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    private static String array(int... tasks) {
        var jobs = new ArrayList<String>();
        for (int task : tasks) {
            jobs.add(Samples.task(task));
        }
        return "{\"jobs\":[" + String.join(",", jobs) + "]}";
    }

    @Test
    void waiting_tasks_of_an_array_share_a_line() {
        mesh.on("GET", "/v1/jobs", array(1, 2, 3, 7));

        assertThat(new CommandRun(mesh).run("squeue", "-h", "-o", "%i %K %F %R").out())
                .isEqualTo("1030_[1-3,7%2] [1-3,7%2] 1030 (Priority)\n");
        assertThat(new CommandRun(mesh).run("squeue", "-h", "-r", "-o", "%i %A").out())
                .isEqualTo("1030_1 1031\n1030_2 1032\n1030_3 1033\n1030_7 1037\n");
    }

    @Test
    void of_the_waiting_tasks_of_an_array_one_may_stand_for_all() {
        mesh.on("GET", "/v1/jobs", array(1, 2, 7));

        assertThat(new CommandRun(mesh).run("squeue", "-h", "--array-unique", "-o", "%i").out())
                .isEqualTo("1030_1\n");
    }

    @Test
    void the_jobs_of_others_are_listed_where_ones_own_are_not_asked_for() {
        mesh.on(
                "GET",
                "/v1/jobs",
                "{\"jobs\":[" + Samples.task(1) + "," + Samples.running() + "]}");
        CommandRun alice = new CommandRun(mesh).with("BERTH_USER", "alice");

        assertThat(alice.run("squeue", "-h", "--notme", "-o", "%u").out()).isEqualTo("root\n");
    }

    @Test
    void components_and_switches_are_columns() {
        String job = Samples.running().strip().replaceFirst("^\\{", "{\"switches\":\"1@600s\",");
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + Samples.component(17, 1) + "," + job + "]}");

        assertThat(
                        new CommandRun(mesh)
                                .run(
                                        "squeue",
                                        "-h",
                                        "-S",
                                        "A",
                                        "-O",
                                        "HetJobID:5,HetJobOffset:5,HetJobIDSet:8,ReqSwitch:5,Wait4Switch:10,AllocSID:2,NTPerBoard:3")
                                .out())
                .isEqualTo(
                        """
                        17   1    17-18   0    00:00:00  0 N/A
                        N/A  N/A  N/A     1    00:10:00  0 N/A
                        """);
    }

    @Test
    void start_shows_what_the_plan_expects() {
        mesh.on("GET", "/v1/jobs", array(1));

        assertThat(new CommandRun(mesh).run("squeue", "--start").out())
                .isEqualTo(
                        """
                                     JOBID PARTITION     NAME     USER ST          START_TIME  NODES SCHEDNODES           NODELIST(REASON)
                                    1030_1  training      arr    alice PD 2026-11-20T10:03:56      1 node02               (Priority)
                        """);
    }

    @Test
    void columns_can_be_chosen_by_name() {
        mesh.on("GET", "/v1/jobs", array(1));

        assertThat(
                        new CommandRun(mesh)
                                .run("squeue", "-h", "-O", "JobArrayID:12,UserName:.6,Dependency")
                                .out())
                .isEqualTo("1030_[1%2]   aliceafterok:1015        \n");
    }

    @Test
    void low_use_of_gpus_is_a_column() {
        String job =
                Samples.running()
                        .replace(
                                "\"timeLimitSeconds\"",
                                Samples.LOW_GPU_USE + "\"timeLimitSeconds\"");
        mesh.on(
                "GET",
                "/v1/jobs",
                "{\"jobs\":[" + job + "," + Samples.running().replace("1015", "1016") + "]}");

        assertThat(run("-h", "-O", "JobID:6,LowGpuUse:20"))
                .isEqualTo("1015  node01:3%,node02:0% \n1016                      \n");
    }

    @Test
    void jobs_of_a_reservation_are_listed_and_there_is_one_cluster_with_all_partitions() {
        String job =
                Samples.running().replace("\"id\":1015", "\"id\":1016,\"reservation\":\"course\"");
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + job + "," + Samples.running() + "]}");

        assertThat(run("-a", "-M", "all", "-h", "-o", "%P", "-R", "course,other").lines())
                .hasSize(1);
        assertThat(run("-a", "-M", "all", "-h", "-o", "%P").lines()).hasSize(2);
    }

    private String run(String... options) {
        var words = new ArrayList<>(List.of("squeue"));
        words.addAll(List.of(options));
        return new CommandRun(mesh).run(words.toArray(String[]::new)).out();
    }

    @Test
    void it_is_listed_again_also_after_a_failure_until_it_is_interrupted() {
        mesh.on(
                "GET",
                "/v1/jobs",
                FakeMesh.Reply.problem(503, "unavailable", "not yet"),
                new FakeMesh.Reply(200, "{\"jobs\":[]}"));

        Outcome outcome = new CommandRun(mesh).interrupted(2).run("squeue", "-i", "5", "-o", "%i");

        assertThat(outcome.err()).isEqualTo("squeue: error: not yet\n");
        assertThat(outcome.out()).isEqualTo("\nFri Nov 20 10:01:11 2026\nJOBID\n\n");
        assertThat(new CommandRun(mesh).run("squeue", "-i", "soon").err())
                .isEqualTo("squeue: error: --iterate=soon is no number of seconds\n");
    }

    @Test
    void jobs_with_a_license_are_listed() {
        String job =
                Samples.running().replace("\"id\":1015", "\"id\":1016,\"licenses\":\"matlab:2,x\"");
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + job + "," + Samples.running() + "]}");

        assertThat(run("-h", "-o", "%i", "-L", "matlab")).isEqualTo("1016\n");
        assertThat(run("-h", "-o", "%i", "-L", "mat")).isEmpty();
    }

    @Test
    void what_is_asked_for_may_stand_in_the_environment() {
        CommandRun command =
                new CommandRun(mesh)
                        .with("SQUEUE_PARTITION", "training")
                        .with("SQUEUE_USERS", "eve,bob")
                        .with("SQUEUE_STATES", "pd")
                        .with("SQUEUE_NAMES", "")
                        .with("SQUEUE_ACCOUNT", "team_a");

        assertThat(command.run("squeue", "-h", "-o", "%i").out()).startsWith("1021\n1020\n");
        assertThat(mesh.requests().getLast().path())
                .isEqualTo("/v1/jobs?state=PENDING&user=eve,bob&partition=training");
        command.run("squeue", "-u", "alice", "-t", "r");
        assertThat(mesh.requests().getLast().path())
                .isEqualTo("/v1/jobs?state=RUNNING&user=alice&partition=training");
        assertThat(command.with("SQUEUE_STATES", "asleep").run("squeue").err())
                .startsWith("squeue: error: Invalid job state specified: asleep\n");
        mesh.on("GET", "/v1/jobs", array(1, 2));
        assertThat(new CommandRun(mesh).with("SQUEUE_ARRAY", "1").run("squeue", "-h").out().lines())
                .hasSize(2);
        assertThat(
                        new CommandRun(mesh)
                                .with("SQUEUE_ARRAY", "false")
                                .run("squeue", "-h")
                                .out()
                                .lines())
                .hasSize(1);
    }

    @Test
    void times_are_told_as_the_environment_says() {
        CommandRun command = new CommandRun(mesh).with("SLURM_TIME_FORMAT", "relative");

        assertThat(command.run("squeue", "-h", "-t", "r", "-o", "%S %V").out())
                .contains("10:00:56 10:00:55\n");
        assertThat(
                        new CommandRun(mesh)
                                .with("SLURM_TIME_FORMAT", "%d.%m. %H:%M")
                                .run("squeue", "-h", "-o", "%V")
                                .out())
                .startsWith("20.11. 10:00\n");
    }

    @Test
    void a_job_shows_where_it_runs_and_what_it_writes() {
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + Samples.running() + "]}");
        mesh.on("GET", "/v1/jobs/1015", Samples.running());

        assertThat(run("-h", "-o", "%Z|%o|%B|%U|%G|%g|%z|%H|%I|%J|%X|%O|%d|%w|%p"))
                .isEqualTo(
                        "/tmp|(null)|node01|0|0|root|*:*:*|*|*|*|N/A|0|0|(null)|0.00000099022873\n");
        assertThat(
                        run(
                                "-h",
                                "-O",
                                "WorkDir:6,STDOUT:11,stderr:11,NumTasks:3,cpus-per-task:3,tres-per-job:5,exit_code:5,RestartCnt:3,UserID:2,AllocNodes"))
                .isEqualTo(
                        "/tmp  /dev/null  /dev/null  8  1  N/A  0:0  0  0 localhost           \n");
        assertThat(run("-O", "Command:8,WorkDir:9,tres-per-task:14,MinTime:9").lines().findFirst())
                .hasValue("COMMAND WORK_DIR TRES_PER_TASK TIME_MIN ");
    }

    @Test
    void files_of_many_jobs_are_not_asked_for() {
        var jobs = new ArrayList<String>();
        for (int i = 0; i < 101; i++) {
            jobs.add(Samples.task(i));
        }
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + String.join(",", jobs) + "]}");

        Outcome outcome = new CommandRun(mesh).run("squeue", "-h", "-r", "-o", "%Z");

        assertThat(outcome.err())
                .isEqualTo(
                        "squeue: files and commands are not told of more than 100 jobs: ask for fewer\n");
        assertThat(outcome.out().lines()).hasSize(101).containsOnly("(null)");
        assertThat(mesh.requests()).hasSize(1);
    }

    @Test
    void a_name_steers_no_terminal() {
        mesh.on(
                "GET",
                "/v1/jobs",
                "{\"jobs\":["
                        + Samples.running().replace("filler", "a\\u202eb\\u001b[2J\\n")
                        + "]}");

        assertThat(run("-h", "-o", "%j|")).isEqualTo("a⍰b␛[2J␊|\n");
    }

    @Test
    void the_format_may_stand_in_the_environment() {
        assertThat(new CommandRun(mesh).with("SQUEUE_FORMAT", "%i").run("squeue", "-h").out())
                .startsWith("1021\n1020\n");
    }

    @Test
    void tasks_are_named_by_their_array() {
        mesh.on("GET", "/v1/jobs/1030_%5B1-2%5D", Samples.task(1));

        new CommandRun(mesh).run("squeue", "-j", "1030_[1-2]");

        assertThat(mesh.requests())
                .extracting(FakeMesh.Request::path)
                .contains("/v1/jobs?job=1030_%5B1-2%5D");
    }
}
