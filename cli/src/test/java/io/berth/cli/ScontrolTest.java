package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.cli.FakeMesh.Reply;
import io.berth.client.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ScontrolTest {

    private final FakeMesh mesh =
            new FakeMesh()
                    .on("GET", "/v1/partitions", Samples.PARTITIONS)
                    .on("GET", "/v1/jobs/1015", Samples.running())
                    .on(
                            "GET",
                            "/v1/nodes",
                            Samples.nodes(
                                    "ALLOCATED",
                                    "IDLE",
                                    "IDLE",
                                    "IDLE",
                                    "IDLE",
                                    "IDLE",
                                    "IDLE",
                                    "IDLE"));

    @AfterEach
    void close() {
        mesh.close();
    }

    private String out(String... words) {
        return new CommandRun(mesh).run(words).out();
    }

    @Test
    void a_job_looks_as_slurms() {
        assertThat(out("scontrol", "show", "job", "1015"))
                .isEqualTo(
                        """
                        JobId=1015 JobName=filler
                           UserId=root(0) GroupId=root(0) MCS_label=N/A
                           Priority=4253 Nice=0 Account=bench QOS=normal
                           JobState=RUNNING Reason=None Dependency=(null)
                           Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0
                           RunTime=00:00:10 TimeLimit=00:03:00 TimeMin=N/A
                           SubmitTime=2026-11-20T10:00:55 EligibleTime=2026-11-20T10:00:55
                           AccrueTime=2026-11-20T10:00:55
                           StartTime=2026-11-20T10:00:56 EndTime=2026-11-20T10:03:56 Deadline=N/A
                           SuspendTime=None SecsPreSuspend=0 LastSchedEval=2026-11-20T10:00:56 Scheduler=Main
                           Partition=training AllocNode:Sid=localhost:0
                           ReqNodeList=(null) ExcNodeList=(null)
                           NodeList=node[01-08]
                           BatchHost=node01
                           NumNodes=8 NumCPUs=1024 NumTasks=8 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
                           TRES=cpu=1024,mem=100G,node=8,billing=1024,gres/gpu=64
                           Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*
                           MinCPUsNode=1 MinMemoryNode=12800M MinTmpDiskNode=0
                           Features=(null) DelayBoot=00:00:00
                           OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)
                           Command=(null)
                           WorkDir=/tmp
                           StdErr=/dev/null
                           StdIn=/dev/null
                           StdOut=/dev/null
                           Power=
                           TresPerNode=gres:gpu:8
                          \s

                        """);
    }

    @Test
    void details_name_the_gpus_of_each_node() {
        assertThat(out("scontrol", "-d", "show", "job", "1015"))
                .contains("     Nodes=node01 CPU_IDs=0-127 Mem=12800 GRES=gpu:2(IDX:0-1)\n");
    }

    @Test
    void a_node_looks_as_slurms() {
        assertThat(out("scontrol", "show", "node", "node01", "-d"))
                .isEqualTo(
                        """
                        NodeName=node01 Arch=x86_64 CoresPerSocket=64\s
                           CPUAlloc=128 CPUEfctv=128 CPUTot=128 CPULoad=7.69
                           AvailableFeatures=(null)
                           ActiveFeatures=(null)
                           Gres=gpu:a100:8
                           GresDrain=N/A
                           GresUsed=gpu:a100:8(IDX:0-7)
                           NodeAddr=node01 NodeHostName=node01 Version=22.05.8
                           OS=Linux 6.18
                           RealMemory=512000 AllocMem=12800 FreeMem=16675 Sockets=2 Boards=1
                           State=ALLOCATED ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
                           Partitions=training,interactive\s
                           BootTime=None SlurmdStartTime=None
                           LastBusyTime=Unknown
                           CfgTRES=cpu=128,mem=500G,billing=128,gres/gpu=8
                           AllocTRES=cpu=128,mem=12.50G,gres/gpu=8
                           CapWatts=n/a
                           CurrentWatts=0 AveWatts=0
                           ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s
                           Isolation=CPUSET,MEMORY

                        """);
    }

    @Test
    void a_node_tells_what_its_gpus_are_split_into() {
        mesh.on(
                "GET",
                "/v1/nodes",
                """
                {"nodes":[{"name":"n1","state":"MIXED","responding":true,"cpus":8,"features":[],
                 "gpus":[{"index":0,"type":"h100"},{"index":1,"type":"h100_3g.40gb","job":17},
                         {"index":2,"type":"h100_3g.40gb"}],
                 "mig":[{"gpu":1,"geometry":"2x3g.40gb"},
                        {"gpu":2,"geometry":"nothing","dividing":"7x1g.10gb","failure":"in use"}],
                 "partitions":[],"isolation":[]}]}
                """);

        assertThat(out("scontrol", "show", "node", "n1", "-d"))
                .contains("Gres=gpu:h100:1,gpu:h100_3g.40gb:2\n")
                .contains("GresUsed=gpu:h100:0(IDX:N/A),gpu:h100_3g.40gb:1(IDX:1)\n")
                .contains("Mig=1:2x3g.40gb,2:nothing->7x1g.10gb\n")
                .contains("MigFailed=GPU 2: in use\n");
    }

    @Test
    void a_partition_looks_as_slurms() {
        assertThat(out("scontrol", "show", "partition", "training"))
                .isEqualTo(
                        """
                        PartitionName=training
                           AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL
                           AllocNodes=ALL Default=YES QoS=N/A
                           DefaultTime=1-00:00:00 DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO
                           MaxNodes=UNLIMITED MaxTime=7-00:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED
                           Nodes=node[01-08]
                           PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO
                           OverTimeLimit=NONE PreemptMode=OFF
                           State=UP TotalCPUs=1024 TotalNodes=8 SelectTypeParameters=NONE
                           JobDefaults=(null)
                           DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED
                           TRES=cpu=1024,mem=4000G,node=8,billing=1024,gres/gpu=64

                        """);
    }

    @Test
    void a_partition_tells_what_its_jobs_with_gpus_have_and_whom_it_does_not_take() {
        mesh.on(
                "GET",
                "/v1/partitions",
                """
                {"partitions":[{"name":"night","state":"UP","nodes":["n1"],"hidden":true,"disableRootJobs":true,
                 "exclusiveTopo":true,"defaultCpusPerGpu":4,"defaultMemoryMibPerGpu":16384}]}
                """);

        assertThat(out("scontrol", "show", "partition", "night"))
                .contains("DisableRootJobs=YES ExclusiveUser=NO ExclusiveTopo=YES", "Hidden=YES")
                .contains("JobDefaults=DefCpuPerGPU=4,DefMemPerGPU=16384\n");
    }

    @Test
    void a_partition_tells_whose_jobs_it_takes_and_what_memory_they_have() throws IOException {
        mesh.on(
                "GET",
                "/v1/partitions",
                """
                {"partitions":[{"name":"night","state":"UP","nodes":["n1"],"qos":"nightly",
                 "allowAccounts":["lab","chem"],"denyAccounts":["team_a"],"allowQos":[],
                 "denyQos":["high"],"defaultMemoryMibPerCpu":1024,"maxMemoryMibPerCpu":4096}]}
                """);

        assertThat(out("scontrol", "show", "partition", "night"))
                .contains(
                        "AllowGroups=ALL AllowAccounts=lab,chem DenyQos=high\n",
                        " QoS=nightly\n",
                        "DefMemPerCPU=1024 MaxMemPerCPU=4096\n");
        JsonObject partition =
                json("scontrol", "show", "partition", "night", "--json")
                        .objects("partitions")
                        .getFirst();
        assertThat(partition.object("accounts").text("allowed")).isEqualTo("lab,chem");
        assertThat(partition.object("accounts").text("deny")).isEqualTo("team_a");
        assertThat(partition.object("qos").text("assigned")).isEqualTo("nightly");
        assertThat(partition.object("qos").text("deny")).isEqualTo("high");
    }

    @Test
    void hidden_partitions_are_shown_to_who_asks_for_all_or_for_them() {
        mesh.on(
                "GET",
                "/v1/partitions",
                """
                {"partitions":[{"name":"batch","state":"UP","nodes":["n1"]},
                 {"name":"night","state":"UP","nodes":["n1"],"hidden":true}]}
                """);

        assertThat(names(out("scontrol", "-o", "show", "partition"))).containsExactly("batch");
        assertThat(names(out("scontrol", "-o", "-a", "show", "partition")))
                .containsExactly("batch", "night");
        assertThat(names(out("scontrol", "-o", "-a", "--hide", "show", "partition")))
                .containsExactly("batch");
        assertThat(
                        names(
                                new CommandRun(mesh)
                                        .with("SCONTROL_ALL", "1")
                                        .run("scontrol", "-o", "show", "partition")
                                        .out()))
                .containsExactly("batch", "night");
        assertThat(names(out("scontrol", "-o", "show", "partition", "night")))
                .containsExactly("night");
    }

    private static List<String> names(String lines) {
        return lines.lines()
                .map(it -> it.replaceFirst(" .*", "").replace("PartitionName=", ""))
                .toList();
    }

    @Test
    void one_line_holds_a_whole_node() {
        assertThat(out("scontrol", "-o", "show", "nodes").lines())
                .hasSize(8)
                .allMatch(line -> line.startsWith("NodeName=node0"));
    }

    @Test
    void host_names_are_listed_and_compressed() {
        assertThat(out("scontrol", "show", "hostnames", "n[01-03]")).isEqualTo("n01\nn02\nn03\n");
        assertThat(out("scontrol", "show", "hostlist", "n01,n02,n03")).isEqualTo("n[01-03]\n");
        assertThat(out("scontrol", "show", "hostlistsorted", "n[9-10],n1"))
                .isEqualTo("n[1,9-10]\n");
        assertThat(
                        new CommandRun()
                                .with("SLURM_JOB_NODELIST", "a[1-2]")
                                .run("scontrol", "show", "hostnames")
                                .out())
                .isEqualTo("a1\na2\n");
    }

    @Test
    void a_task_of_an_array_names_its_array_and_what_keeps_it() {
        mesh.on("GET", "/v1/jobs/1030_3", Samples.task(3));

        String job = out("scontrol", "show", "job", "1030_3");

        assertThat(job)
                .startsWith(
                        "JobId=1033 ArrayJobId=1030 ArrayTaskId=3 ArrayTaskThrottle=2 JobName=arr")
                .contains("Dependency=afterok:1015")
                .contains("Features=a100 DelayBoot=00:00:00 Prefer=nvme")
                .contains("StartTime=2026-11-20T10:03:56")
                .contains("SchedNodeList=node02")
                .contains("Comment=sweep of rates");
    }

    @Test
    void what_a_user_remarks_stands_before_the_mark_of_simulated_gpus() {
        mesh.on(
                "GET",
                "/v1/jobs/1030_3",
                Samples.task(3).replace("\"simulated\":false", "\"simulated\":true"));

        assertThat(out("scontrol", "show", "job", "1030_3"))
                .contains("   Comment=sweep of rates (GPUs are simulated)\n");
    }

    @Test
    void a_batch_script_is_written_to_a_file_or_to_standard_output(@TempDir Path folder)
            throws IOException {
        String script = "#!/bin/sh\n\u001b[31mecho 'ü'\n";
        mesh.on("GET", "/v1/jobs/17/script", script);

        Outcome written =
                new CommandRun(mesh).in(folder).run("scontrol", "write", "batch_script", "17");
        new CommandRun(mesh)
                .in(folder)
                .run("scontrol", "-Q", "write", "batch_script", "17", "a.sh");

        assertThat(written)
                .isEqualTo(new Outcome(0, "batch script for job 17 written to slurm-17.sh\n", ""));
        Path file = folder.resolve("slurm-17.sh");
        assertThat(file).hasContent(script);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rwx------");
        assertThat(folder.resolve("a.sh")).hasContent(script);
        assertThat(out("scontrol", "write", "batch_script", "17", "-")).isEqualTo(script);
        assertThat(
                        new CommandRun(mesh)
                                .in(folder)
                                .run("scontrol", "write", "batch_script", "17", "gone/a.sh")
                                .err())
                .isEqualTo("failed to open file `gone/a.sh`: No such file or directory\n");
    }

    @Test
    void programs_are_answered_in_slurms_words() throws IOException {
        JsonObject jobs = json("scontrol", "--json", "show", "job", "1015");
        JsonObject nodes = json("scontrol", "show", "node", "node01", "--json");

        assertThat(jobs.object("meta").object("Slurm").object("version").number("major"))
                .isEqualTo(22);
        JsonObject job = jobs.objects("jobs").getFirst();
        assertThat(job.number("job_id")).isEqualTo(1015);
        assertThat(job.text("job_state")).isEqualTo("RUNNING");
        assertThat(nodes.objects("nodes").getFirst().text("hostname")).isEqualTo("node01");
    }

    @Test
    void partitions_reservations_and_steps_are_told_in_slurms_words() throws IOException {
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + Samples.running() + "]}")
                .on(
                        "GET",
                        "/v1/reservations",
                        """
                        {"reservations":[{"name":"course","startsAt":1795165200000,"endsAt":1795168800000,
                         "nodes":["node01","node02"],"cpus":256,"users":["ann"],"accounts":[],"flags":["DAILY"],
                         "purgeSeconds":600}]}
                        """)
                .on(
                        "GET",
                        "/v1/steps",
                        "{\"steps\":[{\"job\":1015,\"step\":0,\"name\":\"train\",\"tasks\":16,\"beganAt\":%d,\"nodes\":[\"node01\"]},{\"job\":7,\"step\":0}]}"
                                .formatted(CommandRun.NOW - 6_000));

        JsonObject partition =
                json("scontrol", "show", "partition", "training", "--json")
                        .objects("partitions")
                        .getFirst();
        JsonObject reservation =
                json("scontrol", "show", "reservation", "--json")
                        .objects("reservations")
                        .getFirst();
        List<JsonObject> steps = json("scontrol", "show", "step", "--json").objects("steps");

        assertThat(partition.object("nodes").text("configured")).isEqualTo("node[01-08]");
        assertThat(partition.object("tres").text("configured"))
                .isEqualTo("cpu=1024,mem=4000G,node=8,billing=1024,gres/gpu=64");
        assertThat(partition.object("partition").texts("state")).containsExactly("UP");
        assertThat(partition.object("maximums").object("time").number("number")).isEqualTo(10_080);
        assertThat(partition.object("maximums").object("nodes").flag("infinite")).isTrue();
        assertThat(partition.object("maximums").object("over_time_limit").flag("set")).isFalse();
        assertThat(reservation.object("start_time").number("number")).isEqualTo(1_795_165_200);
        assertThat(reservation.object("purge_completed").object("time").number("number"))
                .isEqualTo(600);
        assertThat(reservation.text("node_list")).isEqualTo("node[01-02]");
        assertThat(reservation.texts("flags")).containsExactly("DAILY", "SPEC_NODES");
        assertThat(reservation.object("berth").text("name")).isEqualTo("course");
        assertThat(steps).extracting(it -> it.text("id")).containsExactly("1015.0", "1015.batch");
        assertThat(steps.getFirst().object("time").object("running").number("number")).isEqualTo(6);
        assertThat(steps.getFirst().object("time").object("limit").number("number")).isEqualTo(3);
    }

    private JsonObject json(String... words) throws IOException {
        return JsonObject.read(out(words).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void jobs_are_held_released_and_requeued_by_name() {
        mesh.on("POST", "/v1/jobs/17/hold", "{}")
                .on("POST", "/v1/jobs/17_%5B1-3%5D/release", "{}")
                .on("POST", "/v1/jobs/18/requeue", "{}");

        assertThat(new CommandRun(mesh).run("scontrol", "uhold", "17").exitCode()).isZero();
        assertThat(new CommandRun(mesh).run("scontrol", "release", "17_[1-3]").exitCode()).isZero();
        assertThat(new CommandRun(mesh).run("scontrol", "requeuehold", "18").exitCode()).isZero();

        assertThat(mesh.requests())
                .extracting(FakeMesh.Request::path)
                .containsExactly(
                        "/v1/jobs/17/hold?as=user",
                        "/v1/jobs/17_%5B1-3%5D/release",
                        "/v1/jobs/18/requeue?hold=true");
    }

    @ParameterizedTest
    @CsvSource({
        "hold, 17/hold 18/hold",
        "uhold, 17/hold?as=user 18/hold?as=user",
        "release, 17/release 18/release",
        "requeue, 19/requeue",
        "suspend, 19/suspend"
    })
    void jobs_are_named_by_their_name_too(String verb, String asked) {
        mesh.on(
                "GET",
                "/v1/jobs",
                """
                {"jobs":[{"id":17,"name":"train","state":"PENDING"},{"id":18,"name":"train","state":"PENDING"},
                 {"id":19,"name":"train","state":"RUNNING"},{"id":20,"name":"other","state":"PENDING"},
                 {"id":21,"name":"train","state":"COMPLETED"}]}
                """);
        List.of(17, 18, 19)
                .forEach(id ->
                        List.of("hold", "release", "requeue", "suspend")
                                .forEach(it -> mesh.on("POST", "/v1/jobs/" + id + "/" + it, "{}")));

        assertThat(new CommandRun(mesh).run("scontrol", verb, "JobName=train"))
                .isEqualTo(new Outcome(0, "", ""));

        assertThat(mesh.requests().getFirst().path()).isEqualTo("/v1/jobs?user=alice");
        assertThat(mesh.requests().stream().skip(1).map(it -> it.path().substring(9)))
                .containsExactly(asked.split(" "));
        assertThat(new CommandRun(mesh).run("scontrol", "requeue", "jobname=none"))
                .isEqualTo(new Outcome(1, "", "Invalid job id specified for job jobname=none\n"));
    }

    @Test
    void a_job_that_waits_for_its_begin_starts_then() {
        mesh.on(
                "GET",
                "/v1/jobs/17",
                "{\"id\":17,\"state\":\"PENDING\",\"beginAt\":%d}"
                        .formatted(CommandRun.NOW + 600_000));

        assertThat(out("scontrol", "show", "job", "17"))
                .contains(" StartTime=2026-11-20T10:11:06 ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "setdebug 3 | scontrol: error: setdebug is not supported: logs are those of the services",
                "setdebugflags +Backfill | scontrol: error: setdebugflags is not supported: logs are those of the services",
                "shutdown | scontrol: error: shutdown is not supported: 'berth down' ends a mesh of one machine",
                "takeover | scontrol: error: takeover is not supported",
                "show daemons | scontrol: error: show daemons is not supported",
                "show slurmd | scontrol: error: show slurmd is not supported"
            })
    void what_is_refused_is_named(String words, String message) {
        var line = new ArrayList<>(List.of("scontrol"));
        line.addAll(List.of(words.split(" ")));

        assertThat(new CommandRun(mesh).run(line)).isEqualTo(new Outcome(1, "", message + "\n"));
    }

    @Test
    void a_state_that_no_node_is_put_into_is_refused_with_those_that_there_are() {
        assertThat(
                        new CommandRun(mesh)
                                .run("scontrol", "update", "NodeName=vm", "State=FAIL")
                                .err())
                .isEqualTo(
                        "Invalid input: state=FAIL\nRequest aborted\nValid states are: DOWN DRAIN IDLE RESUME UNDRAIN\n");
    }

    @Test
    void the_script_of_a_run_is_a_step() {
        mesh.on("GET", "/v1/steps", "{\"steps\":[]}");
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + Samples.running() + "]}");

        assertThat(out("scontrol", "show", "step", "1015.batch"))
                .isEqualTo(
                        """
                        StepId=1015.batch UserId=0 StartTime=2026-11-20T10:00:56 TimeLimit=00:03:00
                           State=RUNNING Partition=training NodeList=node01
                           Nodes=1 CPUs=128 Tasks=1 Name=batch Network=(null)

                        """);
        assertThat(out("scontrol", "show", "step", "1015")).contains("StepId=1015.batch ");
    }

    @Test
    void jobs_are_suspended_and_resumed_by_lists_and_a_refusal_names_its_job() {
        mesh.on("POST", "/v1/jobs/17/suspend", "{}")
                .on("POST", "/v1/jobs/19_%5B1-3%5D/suspend", "{}")
                .on("POST", "/v1/jobs/17/resume", "{}")
                .on(
                        "POST",
                        "/v1/jobs/18/suspend",
                        new Reply(409, "{\"detail\":\"Job is pending execution\"}"))
                .on("POST", "/v1/jobs/20/suspend", new Reply(403, "{\"detail\":\"no\"}"));

        Outcome suspended = new CommandRun(mesh).run("scontrol", "suspend", "17,18,19_[1-3]", "20");
        Outcome resumed = new CommandRun(mesh).run("scontrol", "resume", "jobid=17");

        assertThat(suspended)
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                """
                                Job is pending execution for job 18
                                Access/permission denied for job 20
                                """));
        assertThat(resumed).isEqualTo(new Outcome(0, "", ""));
        assertThat(mesh.requests()).hasSize(5);
    }

    @Test
    void a_suspended_job_shows_since_when_and_how_long_it_had_run() {
        mesh.on(
                "GET",
                "/v1/jobs/1015",
                Samples.running()
                        .replace(
                                "\"RUNNING\",\"stateCode\":\"R\"",
                                "\"SUSPENDED\",\"stateCode\":\"S\"")
                        .replace(
                                "\"timeLimitSeconds\"",
                                "\"suspendedAt\":%d,\"suspendedSeconds\":6,\"timeLimitSeconds\""
                                        .formatted(Samples.at("10:01:00"))));

        Outcome outcome = new CommandRun(mesh).run("scontrol", "show", "job", "1015");

        assertThat(outcome.out())
                .contains("JobState=SUSPENDED")
                .contains("RunTime=00:00:04 TimeLimit=00:03:00")
                .contains("EndTime=2026-11-20T10:04:02")
                .contains("SuspendTime=2026-11-20T10:01:00 SecsPreSuspend=4 ");
    }

    @Test
    void gpus_of_several_types_are_each_told() {
        mesh.on(
                "GET",
                "/v1/jobs/1015",
                Samples.running()
                        .replace(
                                "\"timeLimitSeconds\"",
                                "\"gpuTypes\":\"a100:5,v100:3\",\"timeLimitSeconds\"")
                        .replace(
                                "\"gpuIndices\":\"0-1\"",
                                """
                                "gpuIndices":"0-1","gpusOfTypes":[
                                {"type":"a100","count":1,"indices":"0"},
                                {"type":"v100","count":1,"indices":"1"}]\
                                """));

        assertThat(out("scontrol", "-d", "show", "job", "1015"))
                .contains("   TresPerNode=gres:gpu:a100:5,gres:gpu:v100:3\n")
                .contains(" GRES=gpu:a100:1(IDX:0),gpu:v100:1(IDX:1)\n");
    }

    @Test
    void gpus_of_several_types_are_told_for_each_task() throws Exception {
        mesh.on(
                "GET",
                "/v1/jobs/1015",
                Samples.running()
                        .replace(
                                "\"timeLimitSeconds\"",
                                "\"gpusPerTask\":2,\"gpuTypes\":\"a100:1,v100:1\",\"timeLimitSeconds\""));

        assertThat(out("scontrol", "show", "job", "1015"))
                .contains("   TresPerTask=gres:gpu:a100:1,gres:gpu:v100:1\n");
    }

    @Test
    void gpus_of_several_types_are_told_for_each_socket() throws Exception {
        mesh.on(
                "GET",
                "/v1/jobs/1015",
                Samples.running()
                        .replace("\"gpusPerNode\":8", "\"gpusPerNode\":6,\"gpusPerSocket\":3")
                        .replace(
                                "\"timeLimitSeconds\"",
                                "\"gpuTypes\":\"a100:2,v100:4\",\"timeLimitSeconds\""));

        assertThat(out("scontrol", "show", "job", "1015"))
                .contains("   TresPerNode=gres:gpu:a100:2,gres:gpu:v100:4\n")
                .contains("   TresPerSocket=gres:gpu:a100:1,gres:gpu:v100:2\n");
    }

    @ParameterizedTest
    @CsvSource({
        "gpusPerJob, TresPerJob=gres:gpu:a100:3",
        "gpusPerTask, TresPerTask=gres:gpu:a100:3"
    })
    void a_job_shows_gpus_that_are_not_alike_on_its_nodes_and_their_memory(
            String field, String line) {
        mesh.on(
                "GET",
                "/v1/jobs/1015",
                Samples.running()
                        .replace("\"gpusPerNode\":8", "\"gpusPerNode\":0,\"%s\":3".formatted(field))
                        .replace(
                                "\"timeLimitSeconds\"",
                                "\"gpuType\":\"a100\",\"gpuMemoryMib\":61440,\"timeLimitSeconds\""));

        assertThat(out("scontrol", "show", "job", "1015"))
                .contains("   " + line + "\n")
                .contains("   GpuMemory=61440M\n")
                .doesNotContain("TresPerNode");
    }

    @Test
    void a_job_shows_where_it_hardly_uses_its_gpus_and_since_when() {
        mesh.on(
                "GET",
                "/v1/jobs/1015",
                Samples.running()
                        .replace(
                                "\"timeLimitSeconds\"",
                                Samples.LOW_GPU_USE + "\"timeLimitSeconds\""));

        assertThat(out("scontrol", "show", "job", "1015"))
                .contains("   LowGpuUse=node01:3%,node02:0% LowGpuUseSince=2026-11-20T10:01:30\n");
    }

    @Test
    void a_job_shows_from_when_on_it_may_be_preempted_and_when_it_is() {
        mesh.on(
                "GET",
                "/v1/jobs/1015",
                Samples.running()
                        .replace(
                                "\"timeLimitSeconds\"",
                                "\"preemptEligibleAt\":%d,\"preemptAt\":%d,\"timeLimitSeconds\""
                                        .formatted(
                                                Samples.at("10:01:00"), Samples.at("10:02:30"))));

        assertThat(out("scontrol", "show", "job", "1015"))
                .contains(
                        "   PreemptEligibleTime=2026-11-20T10:01:00 PreemptTime=2026-11-20T10:02:30\n");
    }

    @Test
    void a_job_is_updated_with_slurms_names() {
        mesh.on("GET", "/v1/jobs/17", "{\"id\":17,\"timeLimitSeconds\":600}")
                .on("POST", "/v1/jobs/17", "{}");

        int status =
                new CommandRun(mesh)
                        .run(
                                "scontrol",
                                "update",
                                "JobId=17",
                                "TimeLimit=+5",
                                "Dependency=afterok:9",
                                "Comment=two words",
                                "ArrayTaskThrottle=4")
                        .exitCode();

        assertThat(status).isZero();
        assertThat(mesh.requests().getLast().body())
                .isEqualTo(
                        "{\"timeLimitSeconds\":900,\"dependency\":\"afterok:9\",\"comment\":\"two words\",\"arrayThrottle\":4}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "MinMemoryNode=64G | {\"memoryMibPerNode\":65536}",
                "MinMemoryCPU=2000 | {\"memoryMibPerCpu\":2000}",
                "NumTasks=8 NumCPUs=32 | {\"tasks\":8,\"cpusPerTask\":4}",
                "NumCPUs=32 NumTasks=8 | {\"tasks\":8,\"cpusPerTask\":4}",
                "NumCPUs=8 | {\"cpusPerTask\":2}",
                "MinCPUsNode=16 | {\"minCpusPerNode\":16}",
                "TresPerNode=gres:gpu:a100:2 | {\"gres\":\"gpu:a100:2\"}",
                "Gres=gpu:1,nic:1 | {\"gres\":\"gpu:1,nic:1\"}",
                "Switches=2@10:00 TimeMin=30 | {\"switches\":\"2@10:00\",\"timeMinSeconds\":1800}",
                "Topology=rack@10:00 | {\"topology\":\"rack@10:00\"}",
                "Switches=0 TimeMin=0 | {\"switches\":\"\",\"timeMinSeconds\":0}",
                "Licenses=matlab:2 Contiguous=yes | {\"licenses\":\"matlab:2\",\"contiguous\":true}",
                "OverSubscribe=NO | {\"exclusive\":true}",
                "Features=a100 Prefer=nvme | {\"constraint\":\"a100\",\"prefer\":\"nvme\"}",
                "EndTime=2026-11-20T11:00:00 | {\"timeLimitSeconds\":7200}"
            })
    void what_a_job_asks_for_is_updated_with_slurms_names(String settings, String body) {
        mesh.on(
                        "GET",
                        "/v1/jobs/17",
                        "{\"id\":17,\"state\":\"RUNNING\",\"tasks\":4,\"startedAt\":%d}"
                                .formatted(CommandRun.NOW - 3666_000))
                .on("POST", "/v1/jobs/17", "{}");
        var words = new ArrayList<>(List.of("scontrol", "update", "JobId=17"));
        words.addAll(List.of(settings.split(" ")));

        CommandRun.Outcome outcome = new CommandRun(mesh).run(words);

        assertThat(outcome).isEqualTo(new CommandRun.Outcome(0, "", ""));
        assertThat(mesh.requests().getLast().body()).isEqualTo(body);
    }

    @Test
    void time_for_which_a_run_was_suspended_is_not_of_its_limit() {
        mesh.on(
                        "GET",
                        "/v1/jobs/17",
                        "{\"id\":17,\"state\":\"RUNNING\",\"startedAt\":%d,\"suspendedSeconds\":600}"
                                .formatted(CommandRun.NOW - 3666_000))
                .on("POST", "/v1/jobs/17", "{}");

        new CommandRun(mesh).run("scontrol", "update", "JobId=17", "EndTime=2026-11-20T11:00:00");

        assertThat(mesh.requests().getLast().body()).isEqualTo("{\"timeLimitSeconds\":6600}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "MinMemoryNode=much | Invalid MinMemoryNode value: much",
                "NumNodes=2-3 | Invalid NumNodes value: 2-3: one number is taken here, a range by sbatch -N",
                "NumCPUs=7 | Invalid NumCPUs value: 7: a multiple of the job's 4 tasks, or CPUsPerTask=",
                "TimeMin=soon | Invalid TimeMin specification: soon",
                "Contiguous=so | Invalid Contiguous value: so",
                "EndTime=now | Invalid EndTime value: now: it is set of a job that runs"
            })
    void a_wrong_value_of_a_job_is_named(String setting, String message) {
        mesh.on("GET", "/v1/jobs/17", "{\"id\":17,\"state\":\"PENDING\",\"tasks\":4}");

        CommandRun.Outcome outcome =
                new CommandRun(mesh).run("scontrol", "update", "JobId=17", setting);

        assertThat(outcome).isEqualTo(new CommandRun.Outcome(1, "", message + "\n"));
    }

    @Test
    void what_cannot_be_updated_is_named() {
        CommandRun.Outcome outcome =
                new CommandRun(mesh).run("scontrol", "update", "jobid=17", "colour=red");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err())
                .isEqualTo(
                        "Update of this parameter is not supported: colour=red\nRequest aborted\n");
    }

    @Test
    void a_refused_control_is_told_in_slurms_words() {
        mesh.on(
                "POST",
                "/v1/jobs/17/hold",
                FakeMesh.Reply.problem(
                        409, "job_not_pending", "Job is no longer pending execution"));

        CommandRun.Outcome outcome = new CommandRun(mesh).run("scontrol", "hold", "17");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err())
                .isEqualTo(
                        """
                        Job is no longer pending execution for job 17
                        slurm_suspend error: Job is no longer pending execution
                        """);
    }

    @Test
    void a_node_has_another_weight() {
        mesh.on("POST", "/v1/nodes/node01", "{}");

        Outcome set =
                new CommandRun(mesh).run("scontrol", "update", "NodeName=node01", "Weight=10");

        assertThat(set.exitCode()).isZero();
        assertThat(mesh.requests().getLast().body()).isEqualTo("{\"weight\":10}");
        assertThat(
                        new CommandRun(mesh)
                                .run("scontrol", "update", "NodeName=node01", "Weight=-1")
                                .err())
                .isEqualTo("Invalid weight value: -1\n");
    }

    @Test
    void nodes_are_drained_with_a_reason_and_resumed() {
        mesh.on("POST", "/v1/nodes/node01", "{}").on("POST", "/v1/nodes/node02", "{}");

        int drained =
                new CommandRun(mesh)
                        .run(
                                "scontrol",
                                "update",
                                "NodeName=node[01-02]",
                                "State=DRAIN",
                                "Reason=bad fan")
                        .exitCode();
        int resumed =
                new CommandRun(mesh)
                        .run("scontrol", "update", "nodename=node01", "state=resume")
                        .exitCode();

        assertThat(drained + resumed).isZero();
        assertThat(mesh.requests())
                .extracting(FakeMesh.Request::body)
                .containsExactly(
                        "{\"state\":\"drain\",\"reason\":\"bad fan\"}",
                        "{\"state\":\"drain\",\"reason\":\"bad fan\"}",
                        "{\"state\":\"resume\"}");
    }

    @Test
    void a_gateway_that_answers_is_up() {
        String url = mesh.url();

        mesh.on("GET", "/slurm/v0.0.40/ping", Reply.problem(401, "unauthenticated", "no"));
        assertThat(new CommandRun(mesh).run("scontrol", "ping"))
                .isEqualTo(new Outcome(0, "Slurmctld(primary) at " + url + " is UP\n", ""));

        mesh.on("GET", "/slurm/v0.0.40/ping", Reply.problem(503, "unavailable", "not yet"));
        assertThat(new CommandRun(mesh).run("scontrol", "ping"))
                .isEqualTo(new Outcome(1, "Slurmctld(primary) at " + url + " is DOWN\n", ""));
    }

    private void configured(String document) {
        mesh.on("GET", "/v1/configuration", "{\"revision\":7,\"document\":" + document + "}");
    }

    /// The recorded cluster's; `BERTH_GOLDEN` has it as scontrol-topology.txt.
    @Test
    void a_tree_of_switches_looks_as_slurms() {
        configured(
                """
                {"switches":{"spine":{"switches":["rack1","rack2"]},
                 "rack1":{"nodes":"node[01-04]"},"rack2":{"nodes":"node[05-08]"}}}
                """);

        assertThat(out("scontrol", "show", "topology"))
                .isEqualTo(
                        """
                        SwitchName=rack1 Level=0 LinkSpeed=1 Nodes=node[01-04]
                        SwitchName=rack2 Level=0 LinkSpeed=1 Nodes=node[05-08]
                        SwitchName=spine Level=1 LinkSpeed=1 Nodes=node[01-08] Switches=rack[1-2]
                        """);
        assertThat(out("scontrol", "show", "topology", "node06").lines())
                .extracting(it -> it.substring(0, 17))
                .containsExactly("SwitchName=rack2 ", "SwitchName=spine ");
        assertThat(new CommandRun(mesh).run("scontrol", "show", "topo", "node09"))
                .isEqualTo(new Outcome(1, "", "Topology of node09 not found\n"));
    }

    @Test
    void the_level_of_a_switch_is_told_behind_what_slurm_tells() {
        configured("{\"switches\":{\"r1\":{\"nodes\":\"n[1-2]\",\"level\":\"rack\"}}}");

        assertThat(out("scontrol", "show", "topology"))
                .isEqualTo("SwitchName=r1 Level=0 LinkSpeed=1 Nodes=n[1-2] LevelName=rack\n");
    }

    @Test
    void blocks_of_the_network_are_told() {
        configured("{\"blocks\":{\"b1\":\"n[1-2]\",\"b2\":\"n[3-4]\"}}");

        assertThat(out("scontrol", "show", "topology"))
                .isEqualTo(
                        """
                        BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2
                        BlockName=b2 BlockIndex=1 Nodes=n[3-4] BlockSize=2
                        """);
    }

    @Test
    void the_configuration_is_told_by_slurms_names() {
        configured(
                """
                {"name":"small","fairShare":{"halfLife":"7-00:00:00","dampening":1},
                 "priority":{"maxAge":"7-00:00:00","favorSmall":false,
                             "weights":{"age":1000,"fairShare":100000}},
                 "preemption":{"type":"qos","mode":"REQUEUE"},"privateData":["jobs"]}
                """);

        assertThat(out("scontrol", "show", "config").lines())
                .contains(
                        "Configuration data as of 2026-11-20T10:01:06",
                        "ClusterName             = small",
                        "Packing                 = tightest",
                        "PriorityDecayHalfLife   = 7-00:00:00",
                        "PriorityFavorSmall      = No",
                        "PriorityWeightFairShare = 100000",
                        "PreemptType             = preempt/qos",
                        "PrivateData             = jobs",
                        "SelectType              = select/cons_tres",
                        "SelectTypeParameters    = CR_CPU_Memory",
                        "SlurmctldHost[0]        = " + mesh.url());
    }

    @Test
    void the_packing_of_the_cluster_is_told() {
        configured("{\"name\":\"small\",\"packing\":\"least-loaded\",\"wholeCores\":true}");

        assertThat(out("scontrol", "show", "config").lines())
                .contains(
                        "Packing                 = least-loaded",
                        "SelectTypeParameters    = CR_Core_Memory,CR_LLN");
    }

    @Test
    void a_partitions_state_is_a_change_of_the_configuration() {
        configured("{\"partitions\":{\"batch\":{\"nodes\":\"ALL\"}}}");
        mesh.on("POST", "/v1/configuration/changes", "{\"revision\":8,\"changes\":[]}");

        Outcome outcome =
                new CommandRun(mesh)
                        .run("scontrol", "update", "PartitionName=batch", "State=DRAIN");

        assertThat(outcome).isEqualTo(new Outcome(0, "", ""));
        assertThat(mesh.requests().getLast().body())
                .isEqualTo("{\"partitions\":{\"batch\":{\"state\":\"drain\"}}}");
        assertThat(mesh.requests().getLast().header("If-Match")).isEqualTo("\"7\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "MaxTime=4:00:00 DefaultTime=30         | \"maxTime\":\"4:00:00\",\"defaultTime\":\"30\"",
                "MaxTime=UNLIMITED MaxNodes=8           | \"maxTime\":null,\"maxNodes\":8",
                "AllowAccounts=lab,chem DenyQos=idle    | \"allowAccounts\":[\"lab\",\"chem\"],\"denyQos\":[\"idle\"]",
                "AllowAccounts=ALL AllowGroups=         | \"allowAccounts\":null,\"allowGroups\":null",
                "Hidden=YES RootOnly=no                 | \"hidden\":true,\"rootOnly\":null",
                "DefMemPerCPU=2048                      | \"defaultMemoryPerNode\":null,\"defaultMemoryPerCpu\":2048",
                "OverSubscribe=FORCE:4 PriorityTier=3   | \"exclusive\":null,\"overSubscribe\":\"FORCE:4\",\"tier\":3",
                "OverSubscribe=EXCLUSIVE Nodes=gpu-[1-4] | \"exclusive\":true,\"overSubscribe\":null,\"nodes\":\"gpu-[1-4]\"",
                "ExclusiveTopo=YES ExclusiveUser=no     | \"exclusiveTopo\":true,\"exclusiveUser\":null",
                "GraceTime=60 PreemptMode=requeue QOS=N/A | \"graceTime\":60,\"preemptMode\":\"REQUEUE\",\"qos\":null",
            })
    void what_a_partition_has_is_changed_in_the_cluster_file(String settings, String patch) {
        configured("{\"partitions\":{\"batch\":{\"nodes\":\"ALL\"}}}");
        mesh.on("POST", "/v1/configuration/changes", "{\"revision\":8,\"changes\":[]}");
        var line = new ArrayList<>(List.of("scontrol", "update", "PartitionName=batch"));
        line.addAll(List.of(settings.split(" ")));

        assertThat(new CommandRun(mesh).run(line)).isEqualTo(new Outcome(0, "", ""));
        assertThat(mesh.requests().getLast().body())
                .isEqualTo("{\"partitions\":{\"batch\":{" + patch + "}}}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "update PartitionName=gone State=UP | slurm_update error: Invalid partition name specified",
                "update PartitionName=batch State=on | Invalid input: State=on",
                "update PartitionName=batch | No changes specified",
                "update PartitionName=batch Alternate=x | Update of this parameter is not supported: Alternate=x",
                "update PartitionName=batch State | Update of this parameter is not supported: State",
                "update PartitionName=batch MaxNodes=many | Invalid maxnodes value: many: it is no whole number below 1000000000",
                "update PartitionName=batch MaxTime=foo | Invalid input: maxtime=foo: it is a time, such as 1-12:00:00 or minutes, or UNLIMITED",
                "update PartitionName=batch Hidden=maybe | Invalid input: hidden=maybe: it is YES or NO",
                "listpids seventeen | Invalid job id: seventeen",
                "token for=me | Invalid token parameter: for=me: lifespan= or username=",
                "write batch_script 17 | job script retrieval failed: Invalid job id specified",
                "write batch_script x | job script retrieval failed: Invalid job id specified",
                "write config | invalid keyword for write: only 'batch_script JOB [FILE]' is",
                "wait_job | one job id is expected for keyword:wait_job",
                "wait_job x | invalid job_id: x",
                "wait_job 18 | Invalid job id specified for job 18"
            })
    void what_cannot_be_is_said(String words, String message) {
        configured("{\"partitions\":{\"batch\":{\"nodes\":\"ALL\"}}}");
        var line = new ArrayList<>(List.of("scontrol"));
        line.addAll(List.of(words.split(" ")));

        Outcome outcome = new CommandRun(mesh).run(line);

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err().lines().findFirst()).contains(message);
    }

    /// As in Slurm: `sacct` tells of it.
    @Test
    void a_job_that_only_the_books_know_is_none() {
        mesh.on("GET", "/v1/jobs/17", "{\"id\":17,\"state\":\"COMPLETED\",\"fromBooks\":true}");

        assertThat(new CommandRun(mesh).run("scontrol", "show", "job", "17"))
                .isEqualTo(new Outcome(1, "", "slurm_load_jobs error: Invalid job id specified\n"));
    }

    @Test
    void a_job_is_waited_for_until_it_runs() {
        mesh.on(
                "GET",
                "/v1/jobs/17",
                new Reply(200, "{\"id\":17,\"state\":\"PENDING\"}"),
                new Reply(200, "{\"id\":17,\"state\":\"CONFIGURING\"}"),
                new Reply(200, "{\"id\":17,\"state\":\"RUNNING\"}"));
        mesh.on("GET", "/v1/jobs/18", "{\"id\":18,\"state\":\"CANCELLED\"}");
        var run = new CommandRun(mesh);

        assertThat(run.run("scontrol", "wait_job", "17")).isEqualTo(new Outcome(0, "", ""));
        assertThat(run.pauses()).hasSize(2);
        assertThat(new CommandRun(mesh).run("scontrol", "wait_job", "18"))
                .isEqualTo(
                        new Outcome(
                                1, "", "Job/step already completing or completed for job 18\n"));
    }

    @Test
    void jobs_that_complete_are_listed() {
        mesh.on(
                "GET",
                "/v1/jobs",
                "{\"jobs\":[{\"id\":17,\"state\":\"COMPLETING\",\"endedAt\":%d,\"nodeNames\":[\"n1\",\"n2\"]}]}"
                        .formatted(CommandRun.NOW - 65_000));

        assertThat(out("scontrol", "completing"))
                .isEqualTo(
                        "JobId=17 EndTime=2026-11-20T10:00:01 CompletingTime=1:05 Nodes(COMPLETING)=n[1-2]\n");
        assertThat(mesh.requests().getLast().path()).isEqualTo("/v1/jobs?state=COMPLETING");
    }

    @Test
    void a_step_that_runs_looks_as_slurms() {
        mesh.on(
                "GET",
                "/v1/steps",
                "{\"steps\":[{\"job\":1015,\"step\":0,\"name\":\"train\",\"tasks\":16,\"beganAt\":%d,\"nodes\":[\"node01\",\"node02\"]}]}"
                        .formatted(CommandRun.NOW - 6_000));
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + Samples.running() + "]}");

        assertThat(out("scontrol", "show", "step", "1015.0"))
                .isEqualTo(
                        """
                        StepId=1015.0 UserId=0 StartTime=2026-11-20T10:01:00 TimeLimit=00:03:00
                           State=RUNNING Partition=training NodeList=node[01-02]
                           Nodes=2 CPUs=N/A Tasks=16 Name=train Network=(null)

                        """);
        assertThat(mesh.requests())
                .extracting(it -> it.path())
                .containsExactly("/v1/steps?job=1015", "/v1/jobs?job=1015");
        assertThat(out("scontrol", "show", "step", "1015.1"))
                .isEqualTo("Job step 1015.1 not found\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1030_0.0 | StepId=1030_0.0",
                "1030_0   | StepId=1030_0.0 StepId=1030_0.1",
                "1030     | StepId=1030_0.0 StepId=1030_0.1",
            })
    void a_step_is_shown_by_the_name_that_it_shows(String name, String shown) {
        mesh.on(
                "GET",
                "/v1/steps",
                "{\"steps\":[{\"job\":1030,\"step\":0,\"tasks\":1},{\"job\":1030,\"step\":1,\"tasks\":1}]}");
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + Samples.task(0) + "]}");

        assertThat(
                        Pattern.compile("StepId=\\S+")
                                .matcher(out("scontrol", "show", "step", name))
                                .results()
                                .map(MatchResult::group))
                .containsExactly(shown.split(" "));
    }

    @Test
    void what_is_shown_may_be_named_after_an_equals_sign() {
        assertThat(out("scontrol", "-aFQ", "show", "job=1015"))
                .isEqualTo(out("scontrol", "show", "job", "1015"))
                .startsWith("JobId=1015 ");
    }

    @Test
    void a_component_is_shown_with_its_set() {
        mesh.on("GET", "/v1/jobs/17%2B1", Samples.component(17, 1));
        mesh.on("GET", "/v1/jobs/17", Samples.component(17, 0));
        mesh.on("GET", "/v1/jobs/18", Samples.component(17, 1));
        mesh.on(
                "GET",
                "/v1/jobs",
                "{\"jobs\":[" + Samples.component(17, 0) + "," + Samples.component(17, 1) + "]}");

        assertThat(new CommandRun(mesh).run("scontrol", "show", "job", "17+1").out())
                .startsWith(
                        "JobId=18 HetJobId=17 HetJobOffset=1 JobName=mixed\n   HetJobIdSet=17-18\n");
        assertThat(new CommandRun(mesh).run("scontrol", "show", "job", "17").out())
                .contains("JobId=17 HetJobId=17 HetJobOffset=0")
                .contains("JobId=18 HetJobId=17 HetJobOffset=1");
    }
}
