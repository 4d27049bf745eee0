package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.client.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SacctTest {

    private static final String USER = "e30.eyJ1cG4iOiJib2IiLCJncm91cHMiOlsidXNlciJdfQ.x";

    private final FakeMesh mesh =
            new FakeMesh()
                    .on(
                            "GET",
                            "/v1/accounting/jobs",
                            """
                            {"jobs":[
                             {"id":1012,"name":"env1.sh","user":"root","account":"bench","partition":"training",
                              "qos":"normal","state":"COMPLETED","exitCode":0,"signal":0,"submittedAt":1795168850000,
                              "eligibleAt":1795168850000,"startedAt":1795168852000,"endedAt":1795168855000,
                              "elapsedSeconds":3,"timeLimitSeconds":600,"nodes":1,"nodeList":"node05","cpus":4,
                              "memoryMib":400,"gpus":2,"gpuType":"a100","tasks":4,"restarts":0,"reason":"None",
                              "charge":{"cpuMillis":12000,"billingMicros":12500000},"runs":[{"lease":1,"gpus":["GPU-0a","GPU-7f"],"used":{"cpuMillis":63250,"maxMemoryMib":1536}}]},
                             {"id":1013,"name":"b","user":"root","account":"bench","partition":"training","qos":"normal",
                              "state":"CANCELLED","exitCode":0,"signal":0,"submittedAt":1795168851000,
                              "endedAt":1795168856000,"elapsedSeconds":0,"timeLimitSeconds":0,"nodes":2,"nodeList":"",
                              "cpus":1,"memoryMib":100,"gpus":0,"tasks":1,"restarts":0,"cancelledBy":"alice","runs":[]}]}
                            """);

    @AfterEach
    void close() {
        mesh.close();
    }

    private String out(String... words) {
        return new CommandRun(mesh).run(words).out();
    }

    @Test
    void the_books_look_as_slurms() {
        assertThat(out("sacct", "-a"))
                .isEqualTo(
                        """
                        JobID           JobName  Partition    Account  AllocCPUS      State ExitCode\s
                        ------------ ---------- ---------- ---------- ---------- ---------- --------\s
                        1012            env1.sh   training      bench          4  COMPLETED      0:0\s
                        1012.batch        batch                 bench          4  COMPLETED      0:0\s
                        1013                  b   training      bench          1 CANCELLED+      0:0\s
                        """);
    }

    @Test
    void books_can_be_long() {
        assertThat(out("sacct", "-X", "-P", "-l"))
                .startsWith(
                        "JobID|JobIDRaw|JobName|Partition|MaxRSS|MaxRSSNode|MaxRSSTask|AveRSS|MinCPU|MinCPUNode|MinCPUTask|AveCPU|NTasks|AllocCPUS|Elapsed|State|ExitCode|ReqMem|");
    }

    @Test
    void the_columns_may_stand_in_the_environment() {
        CommandRun command = new CommandRun(mesh).with("SACCT_FORMAT", "jobid,qos");

        assertThat(command.run("sacct", "-X", "-P", "-n").out())
                .isEqualTo("1012|normal\n1013|normal\n");
        assertThat(command.run("sacct", "-X", "-P", "-n", "-b").out())
                .startsWith("1012|COMPLETED|0:0\n");
        assertThat(command.run("sacct", "-X", "-P", "-n", "-o", "user").out()).startsWith("root\n");
    }

    @Test
    void books_can_be_brief() {
        assertThat(out("sacct", "-X", "-P", "-n", "-b", "-L"))
                .isEqualTo("1012|COMPLETED|0:0\n1013|CANCELLED by alice|0:0\n");
    }

    @Test
    void parsable_books_have_the_fields_asked_for() {
        assertThat(
                        out(
                                "sacct",
                                "-X",
                                "-P",
                                "-o",
                                "jobid,user,state,elapsed,start,timelimit,alloctres,charge"))
                .isEqualTo(
                        """
                        JobID|User|State|Elapsed|Start|Timelimit|AllocTRES|Charge
                        1012|root|COMPLETED|00:00:03|2026-11-20T10:00:52|00:10:00|billing=4,cpu=4,gres/gpu=2,mem=400M,node=1|12.500
                        1013|root|CANCELLED by alice|00:00:00|Unknown|UNLIMITED||0.000
                        """);
        assertThat(out("sacct", "-X", "-p", "-n", "-o", "JobID,NNodes"))
                .isEqualTo("1012|1|\n1013|2|\n");
    }

    @Test
    void a_step_says_what_it_used() {
        assertThat(out("sacct", "-P", "-n", "-o", "JobID,TotalCPU,MaxRSS,MaxDiskRead"))
                .isEqualTo(
                        """
                        1012|01:03.250||
                        1012.batch|01:03.250|1536M|
                        1013|00:00:00||
                        """);
    }

    private void stepping() {
        stepping("");
    }

    /// @param more of what the first step used
    private void stepping(String more) {
        mesh.on(
                "GET",
                "/v1/accounting/jobs",
                """
                {"jobs":[{"id":12,"name":"t.sh","user":"bob","account":"a","partition":"low","qos":"normal","cluster":"atlas",
                 "state":"TIMEOUT","exitCode":0,"signal":15,"submittedAt":1795168850000,"startedAt":1795168900000,
                 "endedAt":1795168960000,"elapsedSeconds":60,"timeLimitSeconds":60,"nodes":2,"reason":"TimeLimit",
                 "nodeList":"n[1-2]","cpus":8,"memoryMib":25600,"gpus":4,"tasks":2,"restarts":0,
                 "charge":{"billingMicros":2000000},"runs":[{"lease":1,"nodeList":"n[1-2]","gpus":["G1"],
                 "placedAt":1795168900000,"freedAt":1795168960000,"outcome":"TIMEOUT","exit":"0:15",
                 "used":{"cpuMillis":30000,"maxMemoryMib":512,
                  "gpu":{"gpus":4,"usePercent":81,"maxMemoryMib":39000,"millijoules":1254499}},"moreSteps":7,"steps":[
                  {"number":0,"name":"python","node":"n1","state":"COMPLETED","exit":"0:0","tasks":4,"cpus":4,"gpus":2,
                   "startedAt":1795168901000,"endedAt":1795168921500,"cpuMillis":20000MORE},
                  {"number":1,"name":"sleep","node":"n1","state":"CANCELLED","tasks":1,"cpus":1,"gpus":0,
                   "startedAt":1795168922000,"endedAt":1795168960000}]}]}],"more":false,"stepsLeftOut":false}
                """
                        .replace("MORE", more));
    }

    @Test
    void steps_stand_below_their_job_as_slurms() {
        stepping();

        assertThat(out("sacct", "-a"))
                .isEqualTo(
                        """
                        JobID           JobName  Partition    Account  AllocCPUS      State ExitCode\s
                        ------------ ---------- ---------- ---------- ---------- ---------- --------\s
                        12                 t.sh        low          a          8    TIMEOUT     0:15\s
                        12.batch          batch                     a          4  CANCELLED     0:15\s
                        12.0             python                     a          4  COMPLETED      0:0\s
                        12.1              sleep                     a          1  CANCELLED      0:9\s
                        """);
    }

    @Test
    void a_step_over_nodes_is_one_line_and_ended_as_the_part_that_failed() {
        mesh.on(
                "GET",
                "/v1/accounting/jobs",
                """
                {"jobs":[{"id":12,"name":"t.sh","user":"bob","account":"a","partition":"low","qos":"normal",
                 "state":"FAILED","exitCode":1,"signal":0,"submittedAt":1795168850000,"startedAt":1795168900000,
                 "endedAt":1795168960000,"elapsedSeconds":60,"nodes":2,"nodeList":"n[1-2]","cpus":8,"memoryMib":25600,
                 "gpus":4,"tasks":8,"restarts":0,"runs":[{"lease":1,"nodeList":"n[1-2]","steps":[
                  {"number":0,"name":"python","node":"n1","state":"COMPLETED","exit":"0:0","tasks":4,"cpus":4,"gpus":2,
                   "startedAt":1795168901000,"endedAt":1795168921000,"cpuMillis":20000,"maxMemoryMib":100},
                  {"number":0,"name":"python","node":"n2","state":"FAILED","exit":"3:0","tasks":4,"cpus":4,"gpus":2,
                   "startedAt":1795168900000,"endedAt":1795168920000,"cpuMillis":20000,"maxMemoryMib":300}]}]}],
                 "more":false,"stepsLeftOut":false}
                """);

        assertThat(
                        out(
                                "sacct",
                                "-P",
                                "-n",
                                "-j",
                                "12.0",
                                "-o",
                                "JobID,NTasks,Elapsed,AllocTRES,NodeList,TotalCPU,MaxRSS,State,ExitCode"))
                .isEqualTo(
                        "12.0|8|00:00:21|cpu=8,gres/gpu=4,mem=25G,node=2|n[1-2]|00:40.000|300M|FAILED|3:0\n");
    }

    @Test
    void a_step_has_its_own_times_resources_and_consumption() {
        stepping();

        assertThat(
                        out(
                                "sacct",
                                "-a",
                                "-P",
                                "-n",
                                "-o",
                                "JobID,NTasks,Elapsed,Start,End,AllocTRES,NodeList,TotalCPU,AveCPU,MaxRSS,User,Timelimit"))
                .isEqualTo(
                        """
                        12||00:01:00|2026-11-20T10:01:40|2026-11-20T10:02:40|billing=8,cpu=8,gres/gpu=4,mem=25G,node=2|n[1-2]|00:30.000|||bob|00:01:00
                        12.batch|1|00:01:00|2026-11-20T10:01:40|2026-11-20T10:02:40|cpu=4,gres/gpu=2,mem=12.50G,node=1|n1|00:10.000|00:00:10|512M||
                        12.0|4|00:00:20|2026-11-20T10:01:41|2026-11-20T10:02:01|cpu=4,gres/gpu=2,mem=12.50G,node=1|n1|00:20.000|00:00:05|||
                        12.1|1|00:00:38|2026-11-20T10:02:02|2026-11-20T10:02:40|cpu=1,mem=12.50G,node=1|n1|||||
                        """);
    }

    @Test
    void a_step_tells_its_tasks_one_by_one() {
        stepping(
                """
                ,"maxMemoryMib":700,"byTask":{"tasks":4,"cpuMillis":16000,"memoryMib":640,"readMib":9,
                 "leastCpu":{"rank":1,"amount":2000},"mostMemory":{"rank":3,"amount":320},"mostRead":{"rank":0,"amount":8}}
                """);

        assertThat(
                        out(
                                "sacct",
                                "-P",
                                "-n",
                                "-j",
                                "12.0",
                                "-o",
                                "MaxRSS,MaxRSSNode,MaxRSSTask,AveRSS,MinCPU,MinCPUNode,MinCPUTask,AveCPU,MaxDiskRead,"
                                        + "MaxDiskReadTask,AveDiskRead,MaxDiskWrite,MaxDiskWriteTask,AveDiskWrite,TRESUsageInAve,TRESUsageInMax"))
                .isEqualTo(
                        "320M|n1|3|160M|00:00:02|n1|1|00:00:04|8M|0|2M||||cpu=00:00:04,mem=160M|cpu=00:00:04,mem=320M\n");
    }

    @Test
    void energy_and_use_of_gpus_are_told_as_slurm_does() {
        stepping();

        assertThat(
                        out(
                                "sacct",
                                "-a",
                                "-P",
                                "-n",
                                "-o",
                                "JobID,ConsumedEnergy,ConsumedEnergyRaw,TRESUsageInAve,TRESUsageInMax"))
                .isEqualTo(
                        """
                        12|1.25K|1254||
                        12.batch|1.25K|1254|cpu=00:00:10,energy=1254,gres/gpuutil=81,mem=512M|cpu=00:00:10,energy=1254,gres/gpumem=39000M,mem=512M
                        12.0|||cpu=00:00:05|cpu=00:00:05
                        12.1||||
                        """);
    }

    @Test
    void one_step_can_be_asked_for() {
        stepping();

        assertThat(out("sacct", "-n", "-P", "-o", "JobID", "-j", "12.0,12.batch"))
                .isEqualTo("12.batch\n12.0\n");
        assertThat(out("sacct", "-n", "-P", "-o", "JobID", "-j", "12.1,12"))
                .startsWith("12\n12.batch");
        assertThat(out("sacct", "-X", "-n", "-P", "-o", "JobID", "-j", "12")).isEqualTo("12\n");
        assertThat(new CommandRun(mesh).run("sacct", "-j", "12.x").err())
                .isEqualTo("sacct: fatal: Bad job/step specified: 12.x\n");
    }

    private static String task(long id, int task, String more) {
        return """
        {"id":%d,"name":"arr","user":"bob","account":"a","partition":"low","qos":"normal","arrayJob":17,
         "arrayTask":%d,"arrayThrottle":2,"exitCode":0,"signal":0,"submittedAt":1795168850000,
         "timeLimitSeconds":60,"nodes":1,"cpus":1,"memoryMib":100,"gpus":0,"tasks":1,"restarts":0,
         %s}\
        """
                .formatted(id, task, more);
    }

    private void array() {
        String ran =
                """
                "state":"COMPLETED","startedAt":1795168900000,"endedAt":1795168960000,"elapsedSeconds":60,
                "nodeList":"n1","runs":[{"lease":1,"steps":[{"number":0,"name":"hostname","node":"n1",
                "state":"COMPLETED","exit":"0:0","tasks":1,"cpus":1}]}]\
                """;
        String waits = "\"state\":\"PENDING\",\"runs\":[]";
        mesh.on(
                "GET",
                "/v1/accounting/jobs",
                "{\"jobs\":["
                        + String.join(
                                ",",
                                task(17, 1, ran),
                                task(18, 2, ran),
                                task(19, 3, waits),
                                task(20, 5, waits),
                                task(21, 6, waits))
                        + "]}");
    }

    @Test
    void tasks_of_an_array_have_its_id_and_their_index() {
        array();

        assertThat(out("sacct", "-j", "17"))
                .isEqualTo(
                        """
                        JobID           JobName  Partition    Account  AllocCPUS      State ExitCode\s
                        ------------ ---------- ---------- ---------- ---------- ---------- --------\s
                        17_1                arr        low          a          1  COMPLETED      0:0\s
                        17_1.batch        batch                     a          1  COMPLETED      0:0\s
                        17_1.0         hostname                     a          1  COMPLETED      0:0\s
                        17_2                arr        low          a          1  COMPLETED      0:0\s
                        17_2.batch        batch                     a          1  COMPLETED      0:0\s
                        17_2.0         hostname                     a          1  COMPLETED      0:0\s
                        17_[3,5-6%2]        arr        low          a          1    PENDING      0:0\s
                        """);
        assertThat(mesh.requests().getLast().path()).contains("job=17&");
        assertThat(out("sacct", "--array", "-X", "-P", "-n", "-j", "17", "-o", "JobID,JobIDRaw"))
                .isEqualTo("17_1|17\n17_2|18\n17_3|19\n17_5|20\n17_6|21\n");
    }

    @Test
    void tasks_and_their_steps_can_be_asked_for() {
        array();

        assertThat(out("sacct", "-n", "-P", "-o", "JobID,JobIDRaw", "-j", "17_1.0,17_[2].batch"))
                .isEqualTo("17_1.0|17.0\n17_2.batch|18.batch\n");
        assertThat(out("sacct", "-n", "-P", "-o", "JobID", "-j", "17_[1,3],18.0"))
                .startsWith("17_1\n17_1.batch\n17_1.0\n17_2.0\n");
        assertThat(mesh.requests().getLast().path()).contains("job=17_%5B1%2C3%5D,18&");
        assertThat(new CommandRun(mesh).run("sacct", "-j", "17_x").err())
                .isEqualTo("sacct: fatal: Bad job/step specified: 17_x\n");
    }

    @Test
    void steps_that_are_not_told_are_counted() {
        stepping();

        assertThat(new CommandRun(mesh).run("sacct", "-a").err())
                .isEqualTo("sacct: job 12 had 7 steps more\n");
    }

    @Test
    void a_job_names_its_gpus() {
        assertThat(out("sacct", "-X", "-P", "-n", "-o", "JobID,GPUs"))
                .isEqualTo("1012|GPU-0a,GPU-7f\n1013|\n");
    }

    @Test
    void a_job_that_had_to_give_way_shows_that_run_and_the_next_one() {
        mesh.on(
                "GET",
                "/v1/accounting/jobs",
                """
                {"jobs":[{"id":7,"name":"t","user":"bob","account":"a","partition":"low","qos":"normal",
                 "state":"COMPLETED","exitCode":0,"signal":0,"submittedAt":1795168850000,"startedAt":1795168900000,
                 "endedAt":1795168960000,"elapsedSeconds":50,"suspendedSeconds":10,"timeLimitSeconds":600,"nodes":1,
                 "nodeList":"n2","cpus":4,"memoryMib":100,"gpus":0,"tasks":1,"restarts":1,"reason":"None",
                 "charge":{"billingMicros":3000000},"runs":[
                 {"lease":1,"nodeList":"n1","gpus":[],"placedAt":1795168852000,"freedAt":1795168882000,
                  "outcome":"PREEMPTED","exit":"0:15","charge":{"billingMicros":1000000},"suspendedSeconds":0,
                  "preemption":{"preemptor":9,"at":1795168870000,"mode":"REQUEUE","reason":"qos","lostGpuSeconds":90}},
                 {"lease":2,"nodeList":"n2","gpus":[],"placedAt":1795168900000,"freedAt":1795168960000,
                  "outcome":"COMPLETED","exit":"0:0","charge":{"billingMicros":2000000},"suspendedSeconds":10}]}]}
                """);
        String fields =
                "JobID,State,NodeList,Elapsed,Suspended,ExitCode,Charge,PreemptedBy,PreemptReason,LostGPUTime";

        assertThat(out("sacct", "-a", "-D", "-X", "-P", "-n", "-o", fields))
                .isEqualTo(
                        """
                        7|PREEMPTED|n1|00:00:30|00:00:00|0:15|1.000|9|qos|00:01:30
                        7|COMPLETED|n2|00:00:50|00:00:10|0:0|2.000|||
                        """);
        assertThat(out("sacct", "-a", "-X", "-P", "-n", "-o", "JobID,State,Restarts"))
                .isEqualTo("7|COMPLETED|1\n");
    }

    @Test
    void jobs_are_found_by_node_and_columns_may_have_another_delimiter() {
        assertThat(
                        out(
                                "sacct",
                                "-X",
                                "-P",
                                "-n",
                                "-o",
                                "JobID,QOS",
                                "--delimiter",
                                "; ",
                                "-N",
                                "node[04-05]"))
                .isEqualTo("1012; normal\n");
    }

    @Test
    void the_books_are_asked_for_all_that_they_have_columns_of() {
        out("sacct", "-a", "-X", "-S", "now", "-r", "low,high", "-q", "normal", "--name", "a b,c");

        assertThat(mesh.requests().getFirst().path())
                .isEqualTo(
                        "/v1/accounting/jobs?partition=low,high&qos=normal&name=a+b,c&start=1795168866000");
    }

    @Test
    void that_there_are_older_jobs_is_told() {
        mesh.on("GET", "/v1/accounting/jobs", "{\"jobs\":[],\"more\":true}");
        String told = "sacct: older jobs are not shown: ask for a shorter time\n";

        assertThat(new CommandRun(mesh).run("sacct", "-n", "-N", "node01"))
                .isEqualTo(new CommandRun.Outcome(0, "", told));
        assertThat(new CommandRun(mesh).run("sacct", "--json").err()).isEqualTo(told);
    }

    @Test
    void json_has_the_shape_of_slurms_data_parser() throws Exception {
        stepping();

        JsonObject all =
                JsonObject.read(
                        out("sacct", "--json", "-j", "12").getBytes(StandardCharsets.UTF_8));

        assertThat(all.object("meta").object("plugin").text("type")).isEqualTo("openapi/dbv0.0.38");
        JsonObject job = all.objects("jobs").getFirst();
        assertThat(job.number("job_id")).isEqualTo(12);
        assertThat(job.object("state").text("current")).isEqualTo("TIMEOUT");
        assertThat(job.object("state").text("reason")).isEqualTo("TimeLimit");
        assertThat(job.object("time").fields())
                .containsEntry("elapsed", 60L)
                .containsEntry("start", 1795168900L)
                .containsEntry("submission", 1795168850L)
                .containsEntry("limit", 1L);
        assertThat(job.object("exit_code").text("status")).isEqualTo("SIGNALED");
        assertThat(job.object("association").text("user")).isEqualTo("bob");
        assertThat(job.object("tres").objects("allocated"))
                .extracting(it -> it.text("type") + it.text("name") + "=" + it.number("count"))
                .containsExactly("cpu=8", "mem=25600", "node=2", "billing=8", "gresgpu=4");
        assertThat(job.objects("steps"))
                .extracting(it -> it.object("step").text("id") + " " + it.text("state"))
                .containsExactly("batch CANCELLED", "0 COMPLETED", "1 CANCELLED");
        JsonObject step = job.objects("steps").get(1);
        assertThat(step.object("tasks").number("count")).isEqualTo(4);
        assertThat(step.object("nodes").texts("list")).containsExactly("n1");
        assertThat(step.object("time").object("total").number("seconds")).isEqualTo(20);
        assertThat(job.object("berth").number("id")).isEqualTo(12);
        assertThat(out("sacct", "-X", "--json")).contains("\"steps\" : [ ]");
        array();
        assertThat(
                        JsonObject.read(out("sacct", "--json").getBytes(StandardCharsets.UTF_8))
                                .objects("jobs"))
                .extracting(it -> it.object("array").number("task_id"))
                .containsExactly(1L, 2L, 3L, 5L, 6L);
    }

    @Test
    void all_fields_have_names_in_four_columns() {
        assertThat(out("sacct", "-e"))
                .startsWith(
                        "Account             AdminComment        AllocCPUS           AllocNodes         \n")
                .contains("JobIDRaw ", "SubmitLine ", "UserCPU ", "WorkDir ");
    }

    @Test
    void of_what_the_books_do_not_know_nothing_is_told() {
        stepping();

        assertThat(
                        out(
                                "sacct",
                                "-P",
                                "-n",
                                "-o",
                                "JobID,UID,Group,Cluster,Comment,DerivedExitCode,WorkDir,Priority,UserCPU,ReqCPUFreq"))
                .startsWith("12|65534|bob|atlas||0:0||||Unknown\n12.batch|||atlas||||||Unknown\n");
        assertThat(out("sacct", "-X", "-P", "-n", "-o", "ResvCPU,Planned,ResvCPURAW"))
                .isEqualTo("00:06:40|00:00:50|400\n");
    }

    @Test
    void the_highest_exit_code_of_the_steps_is_told_without_them_too() {
        stepping();

        out("sacct", "-X", "-o", "DerivedExitCode");

        assertThat(mesh.requests().getLast().path()).contains("steps=true");
    }

    @Test
    void sizes_are_told_in_a_unit() {
        stepping();

        assertThat(out("sacct", "-P", "-n", "--units=G", "-o", "ReqMem,MaxRSS,AllocTRES"))
                .startsWith(
                        "25G||billing=8,cpu=8,gres/gpu=4,mem=25G,node=2\n|0.50G|cpu=4,gres/gpu=2,mem=12.50G,node=1\n");
        assertThat(out("sacct", "-X", "-P", "-n", "--units=m", "-o", "ReqMem"))
                .isEqualTo("25600M\n");
        assertThat(new CommandRun(mesh).run("sacct", "--units=Q").err())
                .isEqualTo("sacct: error: Invalid unit type: Q; it is one of K, M, G, T, P\n");
    }

    /// As a job that has its two nodes alone; of one before the books kept it, what it had.
    @Test
    void what_a_job_asked_for_is_told_beside_what_it_had() {
        String job =
                """
                {"id":12,"name":"t","user":"bob","account":"a","partition":"low","qos":"normal","state":"COMPLETED",
                 "startedAt":1795168900000,"endedAt":1795168960000,"nodes":2,"nodeList":"n[1-2]","cpus":256,
                 "memoryMib":25600,"gpus":16,"tasks":2,"runs":[{"lease":1}]REQUESTED}\
                """;
        String asked =
                ",\"requested\":{\"cpu\":2,\"gres/fpga\":1,\"gres/fpga:x\":1,\"gres/gpu\":16,\"gres/gpu:a100\":16,\"mem\":200,\"node\":2}";
        String[] command = {
            "sacct", "-X", "-P", "-n", "-o", "AllocCPUS,ReqCPUS,ReqMem,ReqTRES,AllocTRES"
        };

        mesh.on(
                "GET",
                "/v1/accounting/jobs",
                "{\"jobs\":[" + job.replace("REQUESTED", asked) + "]}");
        assertThat(out(command))
                .isEqualTo(
                        "256|2|200M|billing=2,cpu=2,gres/fpga:x=1,gres/gpu=16,mem=200M,node=2|billing=256,cpu=256,gres/gpu=16,mem=25G,node=2\n");
        mesh.on("GET", "/v1/accounting/jobs", "{\"jobs\":[" + job.replace("REQUESTED", "") + "]}");
        assertThat(out(command))
                .startsWith("256|256|25G|billing=256,cpu=256,gres/gpu=16,mem=25G,node=2|");
    }

    @Test
    void times_are_cut_to_what_is_asked_for() {
        stepping();

        assertThat(
                        out(
                                "sacct",
                                "-T",
                                "-P",
                                "-n",
                                "-S",
                                "2026-11-20T10:01:50",
                                "-E",
                                "2026-11-20T10:02:30",
                                "-o",
                                "JobID,Start,End,Elapsed"))
                .isEqualTo(
                        """
                        12|2026-11-20T10:01:50|2026-11-20T10:02:30|00:00:40
                        12.batch|2026-11-20T10:01:50|2026-11-20T10:02:30|00:00:40
                        12.0|2026-11-20T10:01:50|2026-11-20T10:02:01|00:00:11
                        12.1|2026-11-20T10:02:02|2026-11-20T10:02:30|00:00:28
                        """);
    }

    @Test
    void users_are_named_by_number_too() {
        new CommandRun(mesh).run("sacct", "-u", "0,eve", "--uid=4000000000");

        assertThat(mesh.requests().getLast().path()).contains("user=root,eve,4000000000");
    }

    @Test
    void jobs_are_chosen_by_nodes_limits_and_reasons() {
        assertThat(ids("-i", "2")).isEqualTo("1013\n");
        assertThat(ids("-i", "1-2")).isEqualTo("1012\n1013\n");
        assertThat(ids("-k", "5", "-K", "10")).isEqualTo("1012\n");
        assertThat(ids("-k", "11")).isEqualTo("1013\n");
        assertThat(ids("-I", "2-8")).isEqualTo("1012\n");
        assertThat(ids("-R", "None,Priority")).isEqualTo("1012\n");
        assertThat(new CommandRun(mesh).run("sacct", "-i", "x").err())
                .isEqualTo("sacct: error: --nnodes=x is not as 2, or 2-8\n");
        assertThat(new CommandRun(mesh).run("sacct", "-k", "x").err())
                .isEqualTo("sacct: error: Invalid time specification: x\n");
        assertThat(
                        new CommandRun(mesh)
                                .run("sacct", "-S", "2026-11-21", "-E", "2026-11-20T10:00:00")
                                .err())
                .isEqualTo(
                        "sacct: error: Start time (2026-11-21T00:00:00) requested is after end time"
                                + " (2026-11-20T10:00:00).\n");
        assertThat(new CommandRun(mesh).run("sacct", "--batch-script").err())
                .isEqualTo("sacct: error: --batch-script: the books hold no scripts\n");
        assertThat(new CommandRun(mesh).run("sacct", "-C", "a100").err())
                .isEqualTo("sacct: error: --constraints: the books hold no constraints\n");
        assertThat(ids("-g", "root")).isEqualTo("1012\n1013\n");
        assertThat(ids("--gid=0,77")).isEqualTo("1012\n1013\n");
        assertThat(ids("--group", "adm")).isEmpty();
    }

    @Test
    void the_books_of_another_cluster_are_not_those_of_this_one() {
        mesh.on("GET", "/v1/configuration", "{\"revision\":1,\"document\":{\"name\":\"atlas\"}}");

        assertThat(ids("-M", "Atlas")).isEqualTo("1012\n1013\n");
        assertThat(ids("-M", "all")).isEqualTo("1012\n1013\n");
        assertThat(new CommandRun(mesh).run("sacct", "-M", "atlas,borealis"))
                .isEqualTo(
                        new CommandRun.Outcome(
                                1,
                                "",
                                "sacct: error: 'borealis' can't be reached now, or it is an invalid entry for --cluster.  Use 'sacctmgr list clusters' to see available clusters.\n"));
        assertThat(new CommandRun(mesh).run("scancel", "-M", "borealis", "17").exitCode())
                .isEqualTo(1);
        assertThat(mesh.requests()).noneMatch(it -> it.method().equals("POST"));
    }

    private String ids(String... options) {
        var words = new ArrayList<>(List.of("sacct", "-X", "-P", "-n", "-o", "JobID"));
        words.addAll(List.of(options));
        return out(words.toArray(String[]::new));
    }

    @Test
    void widths_can_be_given() {
        assertThat(out("sacct", "-X", "-n", "-o", "JobName%4,State%-12"))
                .isEqualTo("env+ COMPLETED    \n   b CANCELLED b+ \n");
    }

    @Test
    void an_operator_sees_all_since_midnight() {
        new CommandRun(mesh).zone(ZoneId.of("Europe/Berlin")).run("sacct");

        assertThat(mesh.requests().getLast().path())
                .isEqualTo("/v1/accounting/jobs?start=1795129200000&steps=true");
    }

    @Test
    void a_user_sees_his_own_unless_he_asks_for_all() {
        new CommandRun(mesh).with("BERTH_TOKEN", USER).run("sacct", "-S", "2026-11-19T08:00");
        new CommandRun(mesh)
                .with("BERTH_TOKEN", USER)
                .run("sacct", "-a", "-S", "now-1hour", "-E", "now");

        assertThat(mesh.requests())
                .extracting(FakeMesh.Request::path)
                .containsExactly(
                        "/v1/me",
                        "/v1/accounting/jobs?user=bob&start=1795075200000&steps=true",
                        "/v1/accounting/jobs?start=1795165266000&end=1795168866000&steps=true");
    }

    @Test
    void who_is_an_operator_by_the_books_sees_all() {
        mesh.on("GET", "/v1/me", "{\"user\":\"bob\",\"roles\":[\"user\",\"operator\"]}");

        new CommandRun(mesh).with("BERTH_TOKEN", USER).run("sacct", "-X", "-S", "2026-11-19T08:00");

        assertThat(mesh.requests().getLast().path())
                .isEqualTo("/v1/accounting/jobs?start=1795075200000");
    }

    @Test
    void a_job_is_found_whenever_it_was() {
        new CommandRun(mesh).run("sacct", "-X", "-j", "1012,1013.batch", "-s", "cd,F");

        assertThat(mesh.requests().getFirst().path())
                .isEqualTo("/v1/accounting/jobs?job=1012,1013&state=COMPLETED,FAILED");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-s R | state=RUNNING&start=1795168866000",
                "-s R -S 10:00 | start=1795168800000&end=1795168800001",
                "-s CD -S 10:00 | state=COMPLETED&start=1795168800000&end=1795168800001",
                "-s CD -S 10:00 -E now | state=COMPLETED&start=1795168800000&end=1795168866000",
                "-s R -j 1012 | job=1012&state=RUNNING",
                "-s CD -j 1012 -S 10:00 | job=1012&state=COMPLETED&start=1795168800000&end=1795168800001",
                "-j 1012 -S 10:00 | job=1012&start=1795168800000",
                "-E now | start=1795132800000&end=1795168866000"
            })
    void the_time_that_is_meant_depends_on_jobs_and_states(String options, String asked) {
        var words = new ArrayList<>(List.of("sacct", "-X"));
        words.addAll(List.of(options.split(" ")));

        new CommandRun(mesh).run(words);

        assertThat(mesh.requests().getLast().path()).isEqualTo("/v1/accounting/jobs?" + asked);
    }

    @Test
    void a_state_of_now_has_no_end_before_now() {
        assertThat(new CommandRun(mesh).run("sacct", "-s", "R", "-E", "10:01").err())
                .isEqualTo(
                        "sacct: error: Start time (2026-11-20T10:01:06) requested is after end time (2026-11-20T10:01:00).\n");
    }

    @Test
    void a_job_is_of_the_state_that_it_had_then() {
        assertThat(ids("-s", "R", "-S", "10:00:53")).isEqualTo("1012\n");
        assertThat(ids("-s", "R", "-S", "10:00:57")).isEmpty();
        assertThat(ids("-s", "PD", "-S", "10:00:51")).isEqualTo("1012\n1013\n");
        assertThat(ids("-s", "PD", "-S", "10:00:53")).isEqualTo("1013\n");
        assertThat(ids("-s", "CD,CA", "-S", "10:00:50", "-E", "10:00:55")).isEqualTo("1012\n");
        assertThat(ids("-s", "CA", "-S", "10:00:50", "-E", "10:01")).isEqualTo("1013\n");
    }

    @Test
    void no_columns_are_the_usual_ones() {
        assertThat(out("sacct", "-o", "")).isEqualTo(out("sacct"));
        assertThat(out("sacct", "-o", ",")).isEqualTo(out("sacct"));
    }

    @Test
    void who_cancelled_a_job_is_told_by_his_number_where_it_is_known() {
        String bob = "\"cancelledBy\":\"no_such_user_here\"";
        mesh.on(
                "GET",
                "/v1/accounting/jobs",
                "{\"jobs\":[{\"id\":1,\"state\":\"CANCELLED\",\"cancelledBy\":\"root\",\"runs\":[]},{\"id\":2,\"state\":\"CANCELLED\","
                        + bob
                        + ",\"runs\":[]}]}");

        assertThat(out("sacct", "-XnP", "-o", "state"))
                .isEqualTo("CANCELLED by 0\nCANCELLED by no_such_user_here\n");
    }

    @ParameterizedTest
    @CsvSource({
        "CANCELLED, 0:0, CANCELLED 0:15",
        "PREEMPTED, 0:0, CANCELLED 0:15",
        "TIMEOUT, 0:9, CANCELLED 0:9",
        "TIMEOUT, 0:0, CANCELLED 0:15",
        "COMPLETED, 0:0, COMPLETED 0:0",
        "FAILED, 3:0, FAILED 3:0",
        "NODE_FAIL, 0:0, CANCELLED 0:0"
    })
    void a_script_that_was_ended_had_the_signal(String state, String exit, String batch) {
        mesh.on(
                "GET",
                "/v1/accounting/jobs",
                "{\"jobs\":[{\"id\":1,\"state\":\"%s\",\"exitCode\":%s,\"signal\":%s,\"tasks\":1,\"startedAt\":1795168852000,\"runs\":[{\"lease\":1,\"exit\":\"%s\"}]}]}"
                        .formatted(state, exit.split(":")[0], exit.split(":")[1], exit));

        assertThat(out("sacct", "-nP", "-j", "1.batch", "-o", "state,exitcode").replace('|', ' '))
                .isEqualTo(batch + "\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-c | --completion: the books are the only record of jobs",
                "--completion | --completion: the books are the only record of jobs",
                "-f /tmp/x | --file: the books are the only record of jobs",
                "-W physics | --wckeys: jobs have no WCKeys here; accounts and comments tell them apart",
                "-x 3 | --associations: associations have no numbers: use --accounts and --user",
                "--whole-hetjob=yes | --whole-hetjob: -j 17 shows all components, -j 17+1 one"
            })
    void what_is_refused_is_named(String options, String message) {
        var words = new ArrayList<>(List.of("sacct"));
        words.addAll(List.of(options.split(" ")));

        assertThat(new CommandRun(mesh).run(words))
                .isEqualTo(new CommandRun.Outcome(1, "", "sacct: error: " + message + "\n"));
    }

    @Test
    void a_field_that_is_none_is_refused() {
        assertThat(new CommandRun(mesh).run("sacct", "-o", "JobID,Foo"))
                .isEqualTo(
                        new CommandRun.Outcome(
                                1, "", "sacct: fatal: Invalid field requested: \"Foo\"\n"));
    }

    private static String component(int offset) {
        return """
        {"id":%d,"hetJob":17,"hetOffset":%d,"name":"mixed","user":"alice","account":"a","partition":"p","qos":"n",
         "state":"COMPLETED","exitCode":0,"signal":0,"submittedAt":1795168850000,"startedAt":1795168852000,
         "endedAt":1795168855000,"elapsedSeconds":3,"timeLimitSeconds":600,"nodes":1,"nodeList":"node05","cpus":4,
         "memoryMib":400,"tasks":4,"runs":[{"lease":1,"steps":[{"step":0,"name":"a"}]}]}
        """
                .formatted(17 + offset, offset);
    }

    @Test
    void a_component_is_one_in_json_too() {
        mesh.on("GET", "/v1/accounting/jobs", "{\"jobs\":[" + component(1) + "]}");

        assertThat(out("sacct", "-X", "--json").replaceAll("\\s+", " "))
                .contains("\"het\" : { \"job_id\" : 17, \"job_offset\" : 1 }");
    }

    @Test
    void what_ran_before_or_after_the_time_asked_for_begins_and_ends_at_its_bound() {
        stepping();

        assertThat(
                        out(
                                        "sacct",
                                        "-T",
                                        "-P",
                                        "-n",
                                        "-S",
                                        "2026-11-20T10:02:20",
                                        "-E",
                                        "2026-11-20T10:02:30",
                                        "-o",
                                        "JobID,Start,End,Elapsed")
                                .lines())
                .contains("12.0|2026-11-20T10:02:20|2026-11-20T10:02:20|00:00:00");
        assertThat(
                        out(
                                "sacct",
                                "-T",
                                "-X",
                                "--json",
                                "-S",
                                "2026-11-20T10:01:50",
                                "-E",
                                "2026-11-20T10:02:30"))
                .contains("\"elapsed\" : 40");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "17      | 17+0 17+0.batch 17+0.0 17+1 17+1.0",
                "17+1    | 17+1 17+1.0",
                "18      | 17+1 17+1.0",
                "17+0    | 17+0 17+0.batch 17+0.0",
                "17.0    | 17+0.0 17+1.0",
                "17+1.0  | 17+1.0",
                "17,17+1 | 17+0 17+0.batch 17+0.0 17+1 17+1.0",
            })
    void components_are_asked_for_by_their_set_and_place(String jobs, String lines) {
        mesh.on(
                "GET",
                "/v1/accounting/jobs",
                "{\"jobs\":[" + component(0) + "," + component(1) + "]}");

        String out = out(("sacct -P -n -o JobID -j " + jobs).split(" "));

        assertThat(out.strip().replace('\n', ' ')).isEqualTo(lines);
    }
}
