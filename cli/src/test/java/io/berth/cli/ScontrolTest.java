package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.cli.FakeMesh.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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
                           CfgTRES=cpu=128,mem=500G,billing=128,gres/gpu=8
                           AllocTRES=cpu=128,mem=12.50G,gres/gpu=8
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
    void one_line_holds_a_whole_node() {
        assertThat(out("scontrol", "-o", "show", "nodes").lines())
                .hasSize(8)
                .allMatch(line -> line.startsWith("NodeName=node0"));
    }

    @Test
    void host_names_are_listed_and_compressed() {
        assertThat(out("scontrol", "show", "hostnames", "n[01-03]")).isEqualTo("n01\nn02\nn03\n");
        assertThat(out("scontrol", "show", "hostlist", "n01,n02,n03")).isEqualTo("n[01-03]\n");
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
                .contains("Features=a100")
                .contains("StartTime=2026-11-20T10:03:56")
                .contains("SchedNodeList=node02")
                .contains("Comment=sweep of rates");
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
}
