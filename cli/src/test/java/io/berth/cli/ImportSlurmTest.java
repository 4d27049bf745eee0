package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.slurm.SlurmConf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `berth import slurm`. That the service takes the expected file is tested beside the service.
final class ImportSlurmTest {

    /// Of each of these a test beside the service says that it can be applied.
    private static final Path TAKEN = Path.of("src/test/resources/imported");

    private static final Path EXPECTED = Path.of("src/test/resources/imported-cluster.yaml");

    private static final String SLURM_CONF =
            """
            # A cluster.
            ClusterName=atlas
            SelectType=select/cons_tres
            SelectType=select/linear
            PriorityWeightAge=1000     # per week
            PriorityWeightFairshare=10000
            PriorityWeightTRES=CPU=100,gres/gpu=2000
            PriorityDecayHalfLife=14-0
            PriorityFlags=NO_FAIR_TREE,CALCULATE_RUNNING
            SlurmctldPort=6817
            PrivateData=jobs,cloud,usage
            PreemptType=preempt/partition_prio
            PreemptMode=SUSPEND,GANG
            PreemptExemptTime=00:10:00
            PreemptParameters=youngest_first,reclaim_licenses
            SchedulerTimeSlice=60
            NodeName=n[1-4] CPUs=64 Gres=gpu:a100:8,nic:2 Weight=10
            SchedulerParameters=max_switch_wait=120
            PartitionName=DEFAULT MaxTime=1-0 State=UP
            PartitionName=batch Nodes=n[1-4] Default=YES \\
              AllowAccounts=team_a AllowQos=high OverSubscribe=NO
            PartitionName=long Nodes=ALL MaxTime=7-00:00:00 MaxNodes=UNLIMITED PriorityTier=5 PreemptMode=requeue GraceTime=120
            """;

    private static final String TOPOLOGY =
            """
            SwitchName=rack1 Nodes=n[1-2] LinkSpeed=100
            SwitchName=core Switches=rack1
            """;

    private static final String DUMP =
            """
            Cluster - 'atlas':Fairshare=1:QOS='normal'
            Parent - 'root'
            User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
            Account - 'team_a':Description='Team: A':Organization='x':Fairshare=50:GrpTRES=gres/gpu=16
            Account - 'team_b':Fairshare=parent
            Parent - 'team_a'
            Account - 'sub':Fairshare=2:MaxJobs=5
            User - 'alice':DefaultAccount='team_b':Fairshare=30:QOS='high,normal'
            Parent - 'team_b'
            User - 'alice':DefaultAccount='team_b':Fairshare=1
            """;

    @TempDir Path folder = Path.of("");

    private Outcome run(String... words) throws IOException {
        Files.writeString(folder.resolve("slurm.conf"), SLURM_CONF);
        Files.writeString(folder.resolve("topology.conf"), TOPOLOGY);
        Files.writeString(folder.resolve("accounts.cfg"), DUMP);
        return new CommandRun().in(folder).run(words);
    }

    @Test
    void what_slurm_says_becomes_a_cluster_file() throws IOException {
        Outcome outcome = run("import", "slurm", "slurm.conf", "topology.conf", "accounts.cfg");

        assertThat(outcome.out()).isEqualTo(Files.readString(EXPECTED));
        assertThat(outcome.exitCode()).isZero();
    }

    @Test
    void what_cannot_be_carried_over_is_told_with_its_place_and_why() throws IOException {
        Outcome outcome = run("import", "slurm", "slurm.conf", "topology.conf", "accounts.cfg");

        assertThat(outcome.err())
                .isEqualTo(
                        """
                        Not carried over:
                          slurm.conf:4: SelectType=select/linear: Berth knows no such setting
                          slurm.conf:9: PriorityFlags=CALCULATE_RUNNING: Berth knows no such setting
                          slurm.conf:10: SlurmctldPort=6817: services and agents meet in Kafka
                          slurm.conf:11: PrivateData=CLOUD: Berth keeps nothing of the kind
                          slurm.conf:15: PreemptParameters=reclaim_licenses: Berth knows no such setting
                          slurm.conf:17: NodeName=n[1-4] CPUs=64 Gres=gpu:a100:8,nic:2 Weight=10: a node tells what it has when its agent registers; its weight is carried over; resources other than GPUs are carried over
                          topology.conf:1: linkspeed=100: it is not used
                        """);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    600 | 00:10:00 |
                    60  | 00:01:00 |
                    2   |          | 2: ended jobs are known for a minute at least
                    day |          | day: ended jobs are known for a minute at least
                    """)
    void ended_jobs_are_known_as_long_as_slurms(
            String value, @Nullable String minAge, @Nullable String told) {
        var cluster = new SlurmCluster();

        cluster.take(SlurmConf.parse("slurm.conf", "MinJobAge=" + value + "\n"));

        assertThat(cluster.yaml().contains("endedJobs:\n  minAge: \"" + minAge + "\"\n"))
                .isEqualTo(minAge != null);
        assertThat(cluster.leftOut())
                .isEqualTo(told == null ? List.of() : List.of("slurm.conf:1: MinJobAge=" + told));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    CR_Core_Memory           | true  |
                    cr_core_memory           | true  |
                    CR_CPU_Memory            | false |
                    CR_Core                  | true  | CR_Core: memory is always given out, too
                    CR_CPU                   | false | CR_CPU: memory is always given out, too
                    CR_Memory                | false | CR_Memory: CPUs are always given out, too
                    CR_Socket_Memory         | true  | CR_Socket_Memory: jobs get whole cores (wholeCores), and no whole sockets unless they ask for their nodes alone
                    CR_Core_Memory,CR_LLN    | true  |
                    CR_CPU_Memory,CR_GPU     | false | CR_GPU: Berth knows no such setting
                    """)
    void jobs_get_whole_cores_where_slurms_do(String value, boolean whole, @Nullable String told) {
        var cluster = new SlurmCluster();

        cluster.take(SlurmConf.parse("slurm.conf", "SelectTypeParameters=" + value + "\n"));

        assertThat(cluster.yaml().contains("wholeCores: true\n")).isEqualTo(whole);
        assertThat(cluster.yaml().contains("packing: least-loaded\n"))
                .isEqualTo(value.contains("CR_LLN"));
        assertThat(cluster.leftOut())
                .isEqualTo(
                        told == null
                                ? List.of()
                                : List.of("slurm.conf:1: SelectTypeParameters=" + told));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    NO        |                         |
                    EXCLUSIVE | exclusive: true         |
                    FORCE:1   | overSubscribe: FORCE:1  |
                    yes       | overSubscribe: YES      |
                    FORCE:4   | overSubscribe: FORCE:4  |
                    YES:0     |                         | it is NO, EXCLUSIVE, YES:n or FORCE:n, n up to 9999
                    MAYBE     |                         | it is NO, EXCLUSIVE, YES:n or FORCE:n, n up to 9999
                    """)
    void who_shares_nodes_and_cpus_is_carried_over(
            String value, @Nullable String taken, @Nullable String told) {
        var cluster = new SlurmCluster();

        cluster.take(
                SlurmConf.parse(
                        "slurm.conf", "PartitionName=p Nodes=ALL OverSubscribe=" + value + "\n"));

        assertThat(cluster.yaml().replace("\"", ""))
                .contains("p:\n", taken == null ? "" : taken + "\n");
        assertThat(cluster.yaml().contains("overSubscribe"))
                .isEqualTo(taken != null && taken.startsWith("over"));
        assertThat(cluster.leftOut())
                .isEqualTo(
                        told == null
                                ? List.of()
                                : List.of(
                                        "slurm.conf:1: oversubscribe="
                                                + value
                                                + " of partition p: "
                                                + told));
    }

    @Test
    void what_jobs_with_gpus_have_who_is_not_taken_and_what_is_hidden_is_carried_over() {
        var cluster = new SlurmCluster();

        cluster.take(
                SlurmConf.parse(
                        "slurm.conf",
                        """
                        DefCpuPerGPU=2
                        JobDefaults=DefMemPerGPU=1024
                        PartitionName=a Nodes=n1 Hidden=YES DisableRootJobs=YES
                        PartitionName=b Nodes=n2 JobDefaults=DefCpuPerGPU=8,DefMemPerGPU=2048
                        PartitionName=c Nodes=n3 JobDefaults=DefTime=5 MaxCPUsPerSocket=4
                        PartitionName=d Nodes=n4 MaxCPUsPerSocket=few
                        """));

        assertThat(cluster.yaml())
                .containsPattern(
                        "a:\\n +defaultCpusPerGpu: 2\\n +defaultMemoryPerGpu: 1024\\n +nodes: n1\\n +hidden: true\\n +disableRootJobs: true\\n")
                .containsPattern("b:\\n +defaultCpusPerGpu: 8\\n +defaultMemoryPerGpu: 2048\\n")
                .containsPattern("c:\\n(?: +.*\\n)* +maxCpusPerSocket: 4\\n");
        assertThat(cluster.leftOut())
                .containsExactlyInAnyOrder(
                        "slurm.conf:5: jobdefaults=DefTime=5 of partition c: they are DefCpuPerGPU and DefMemPerGPU, each a whole number below 1000000000",
                        "slurm.conf:6: maxcpuspersocket=few of partition d: it is no whole number below 1000000000");
    }

    @Test
    void what_the_cluster_says_holds_for_partitions_that_say_nothing_else() {
        var cluster = new SlurmCluster();

        cluster.take(
                SlurmConf.parse(
                        "slurm.conf",
                        """
                        PartitionName=DEFAULT MaxNodes=4
                        PartitionName=a Nodes=n1
                        PartitionName=b Nodes=n2 DefMemPerCPU=512 MaxMemPerNode=UNLIMITED MaxNodes=UNLIMITED OverTimeLimit=0
                        DefMemPerNode=1024
                        MaxMemPerNode=4096
                        OverTimeLimit=5
                        """));

        assertThat(cluster.yaml())
                .containsPattern(
                        "a:\\n +defaultMemoryPerNode: 1024\\n +maxMemoryPerNode: 4096\\n +overTimeLimit: \"5\"\\n +maxNodes: 4\\n +nodes: n1\\n")
                .containsPattern(
                        "b:\\n +overTimeLimit: \"0\"\\n +nodes: n2\\n +defaultMemoryPerCpu: 512\\n");
        assertThat(cluster.leftOut()).isEmpty();
    }

    @Test
    void licenses_are_carried_over_and_under_priority_basic_no_weights_are() {
        var cluster = new SlurmCluster();

        cluster.take(
                SlurmConf.parse(
                        "slurm.conf",
                        """
                        Licenses=fluent:30,ansys
                        PriorityType=priority/basic
                        PriorityWeightAge=1000
                        Licenses=matlab:x
                        """));

        assertThat(cluster.yaml())
                .containsPattern("licenses:\\n +ansys: 1\\n +fluent: 30\\n")
                .doesNotContain("weights");
        assertThat(cluster.leftOut())
                .containsExactly(
                        "slurm.conf:4: Licenses=matlab:x: it is no list such as matlab:2,ansys",
                        "PriorityWeight…: with priority/basic jobs go in the order in which they came");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    CgroupAutomount=yes                         | CgroupAutomount=yes: agents use the groups that the host has mounted
                    CgroupReleaseAgentDir="/etc/slurm/cgroup"   | CgroupReleaseAgentDir="/etc/slurm/cgroup": agents remove groups themselves
                    ConstrainDevices=yes                        | ConstrainDevices=yes: agents always do where the host can; berth.agent.required-isolation=devices lets none start where it cannot
                    Prolog=/etc/slurm/prolog.sh                 | Prolog=/etc/slurm/prolog.sh: berth.agent.prolog of the agents
                    HealthCheckProgram=/usr/sbin/nhc            | HealthCheckProgram=/usr/sbin/nhc: berth.agent.health-program of the agents
                    SchedulerParameters=defer,bf_max_job_test=9 | SchedulerParameters=bf_max_job_test=9: berth.placement.bf-max-job-test
                    NodeName=n1 CoreSpecCount=2 Features=ib     | NodeName=n1 CoreSpecCount=2 Features=ib: a node tells what it has when its agent registers; CoreSpecCount is the agent's berth.agent.reserved-cpus; features are given by scontrol update NodeName=… Features=…
                    NodeName=n1 Gres=gpu:a100:8,shard:32        | NodeName=n1 Gres=gpu:a100:8,shard:32: a node tells what it has when its agent registers; GPUs of which jobs get parts are named in the cluster file: sharedGpus: {shard: {nodes: "n1", sharing: shard}}
                    """)
    void what_is_said_elsewhere_in_berth_is_told_by_its_name_there(String line, String told) {
        var cluster = new SlurmCluster();

        cluster.take(SlurmConf.parse("slurm.conf", line + "\n"));

        assertThat(cluster.leftOut()).contains("slurm.conf:1: " + told);
    }

    @Test
    void a_partition_may_share_nodes_where_those_of_default_do_not() {
        var cluster = new SlurmCluster();

        cluster.take(
                SlurmConf.parse(
                        "slurm.conf",
                        """
                        PartitionName=DEFAULT OverSubscribe=EXCLUSIVE
                        PartitionName=alone Nodes=n1
                        PartitionName=shared Nodes=n2 OverSubscribe=NO
                        """));

        assertThat(cluster.yaml())
                .containsPattern("alone:\\n +exclusive: true\\n")
                .containsPattern("shared:\\n +nodes: n2\\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    FairShareDampeningFactor=x      | FairShareDampeningFactor=x: it is no whole number below 1000000000
                    SchedulerTimeSlice=1.5          | SchedulerTimeSlice=1.5: it is no whole number below 1000000000
                    DefMemPerCPU=4G                 | DefMemPerCPU=4G: it is no whole number below 1000000000
                    PartitionName=p MaxNodes=many   | maxnodes=many of partition p: it is no whole number below 1000000000
                    PartitionName=p GraceTime=-1    | gracetime=-1 of partition p: it is no whole number below 1000000000
                    PriorityWeightTRES=CPU=1,Mem    | PriorityWeightTRES=Mem: it is none such as CPU=1000
                    PriorityWeightTRES=GRES/gpu=two | PriorityWeightTRES=GRES/gpu=two: it is none such as CPU=1000
                    DefMemPerCPU=UNLIMITED          |
                    PartitionName=p MaxNodes=2      |
                    """)
    void what_is_no_number_is_told(String line, @Nullable String told) {
        var cluster = new SlurmCluster();

        cluster.take(SlurmConf.parse("slurm.conf", line + "\n"));

        assertThat(cluster.leftOut())
                .isEqualTo(told == null ? List.of() : List.of("slurm.conf:1: " + told));
    }

    @Test
    void resources_that_no_cluster_file_can_have_are_told_and_left_out() {
        var cluster = new SlurmCluster();

        cluster.take(
                SlurmConf.parse(
                        "slurm.conf",
                        """
                        NodeName=DEFAULT Gres=nic:1
                        NodeName=n1 Gres=nic:2,lic:no_consume:4,bandwidth:lustre:no_consume:4G
                        NodeName=n2 Gres=gpu:a100:2(S:0),fpga:1(S:0),fpga:xilinx:1
                        """));

        assertThat(cluster.yaml())
                .contains("has: \"nic:2\"", "has: \"fpga:xilinx:1\"")
                .doesNotContain("ALL", "no_consume", "(S:0)");
        assertThat(cluster.leftOut())
                .anyMatch(
                        it -> it.startsWith("slurm.conf:1: ") && it.contains("unless other lines"))
                .anyMatch(it -> it.startsWith("slurm.conf:2: Gres=lic:no_consume:4: "))
                .anyMatch(
                        it -> it.startsWith("slurm.conf:2: Gres=bandwidth:lustre:no_consume:4G: "))
                .anyMatch(it -> it.startsWith("slurm.conf:3: Gres=fpga:1(S:0): "));
    }

    @Test
    void resources_of_all_nodes_are_carried_over_where_no_line_has_others() {
        var cluster = new SlurmCluster();

        cluster.take(
                SlurmConf.parse("slurm.conf", "NodeName=DEFAULT Gres=nic:1\nNodeName=n1 CPUs=8\n"));

        assertThat(cluster.yaml()).contains("nodes: ALL", "has: \"nic:1\"");
    }

    @Test
    void the_weight_of_default_holds_for_the_lines_after_it() throws IOException {
        Files.writeString(
                folder.resolve("nodes.conf"),
                """
                NodeName=n[1-2] CPUs=4
                NodeName=DEFAULT Weight=7
                NodeName=n3
                NodeName=n4 Weight=9
                NodeName=DEFAULT Weight=1
                NodeName=n5
                """);

        assertThat(run("import", "slurm", "nodes.conf").out())
                .contains("nodeWeights:\n  n3: 7\n  n4: 9\n  n5: 1\n")
                .doesNotContain("ALL", "n[1-2]");
    }

    @Test
    void a_wait_for_switches_is_carried_over_to_the_second_and_none_is_told() throws IOException {
        Path file = folder.resolve("wait.conf");
        Files.writeString(file, "SchedulerParameters=max_switch_wait=90\n");
        Outcome some = run("import", "slurm", "wait.conf");
        Files.writeString(file, "SchedulerParameters=max_switch_wait=0\n");
        Outcome none = run("import", "slurm", "wait.conf");

        assertThat(some.out()).contains("maxSwitchWait: \"00:01:30\"");
        assertThat(none.out()).doesNotContain("maxSwitchWait");
        assertThat(none.err())
                .contains(
                        "wait.conf:1: SchedulerParameters=max_switch_wait=0: maxSwitchWait must be above 0");
    }

    @Test
    void the_file_can_be_written() throws IOException {
        run("import", "slurm", "-o", "cluster.yaml", "slurm.conf", "topology.conf", "accounts.cfg");

        assertThat(folder.resolve("cluster.yaml")).hasSameTextualContentAs(EXPECTED);
    }

    @Test
    void a_file_that_is_not_there_is_told() throws IOException {
        assertThat(run("import", "slurm", "none.conf"))
                .isEqualTo(new Outcome(1, "", "import: error: there is no file none.conf\n"));
        assertThat(run("import", "pbs").err())
                .isEqualTo("import: error: it reads: slurm FILE...\n");
    }

    private Outcome imported(String... namesAndTexts) throws IOException {
        var words = new ArrayList<>(List.of("import", "slurm", namesAndTexts[0]));
        for (int i = 0; i < namesAndTexts.length; i += 2) {
            Path file = folder.resolve(namesAndTexts[i]);
            Files.createDirectories(file.getParent());
            Files.writeString(file, namesAndTexts[i + 1]);
            if (i > 0 && !namesAndTexts[i].contains("/")) {
                words.add(namesAndTexts[i]);
            }
        }
        return new CommandRun().in(folder).run(words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    PreemptMode=GANG                            |                        | PreemptMode=GANG: jobs take turns only where one is suspended for the other: SUSPEND,GANG
                    PreemptType=preempt/qos PreemptMode=GANG    | type: qos mode: OFF    | PreemptMode=GANG: jobs take turns only where one is suspended for the other: SUSPEND,GANG
                    PreemptType=preempt/qos PreemptMode=REQUEUE,GANG | type: qos mode: REQUEUE | PreemptMode=REQUEUE,GANG: jobs take turns only where one is suspended for the other: SUSPEND,GANG
                    PreemptMode=gang,suspend                    | mode: SUSPEND,GANG     |
                    PreemptMode=REQUEUE,WITHIN                  | mode: REQUEUE          | PreemptMode=WITHIN: Berth knows no such mode
                    PreemptMode=HIBERNATE                       |                        | PreemptMode=HIBERNATE: Berth knows no such mode
                    PreemptType=preempt/none PreemptMode=OFF    | type: none mode: OFF   |
                    PreemptType=preempt/job_prio                |                        | PreemptType=preempt/job_prio: Berth knows no such setting
                    SchedulerTimeSlice=3                        |                        | SchedulerTimeSlice=3: a turn lasts 5 seconds at least
                    PartitionName=p PreemptMode=SUSPEND,GANG    |                        | preemptmode=SUSPEND,GANG of partition p: it is OFF, CANCEL, REQUEUE or SUSPEND
                    """)
    void who_gives_way_is_carried_over_as_far_as_it_can_be_applied(
            String settings, @Nullable String taken, @Nullable String told) {
        var cluster = new SlurmCluster();

        cluster.take(
                SlurmConf.parse(
                        "slurm.conf",
                        settings.startsWith("Part") ? settings : settings.replace(' ', '\n')));

        String yaml = cluster.yaml().replaceAll("[\"\\s]+", " ");
        assertThat(yaml.contains("preemption:")).isEqualTo(taken != null);
        assertThat(yaml).contains(taken == null ? "" : "preemption: " + taken.strip());
        assertThat(yaml).doesNotContain("preemptMode");
        assertThat(cluster.leftOut().stream().map(it -> it.replaceFirst("slurm.conf:\\d: ", "")))
                .isEqualTo(told == null ? List.of() : List.of(told));
    }

    @Test
    void sets_of_nodes_are_the_nodes_that_they_name_or_that_have_the_feature() {
        var cluster = new SlurmCluster();

        cluster.take(
                SlurmConf.parse(
                        "slurm.conf",
                        """
                        PartitionName=p Nodes=ns1
                        NodeSet=ns1 Nodes=a[1-2]
                        NodeSet=fast Feature=ib
                        NodeSet=both Nodes=a1 Feature=nvme
                        NodeSet=none Feature=tape
                        NodeName=a[1-3] Feature="ib,nvme"
                        NodeName=DEFAULT Features=nvme
                        NodeName=b[1-2]
                        PartitionName=q Nodes=fast,c9
                        PartitionName=r Nodes=both
                        PartitionName=s Nodes=all
                        PartitionName=t Nodes=none
                        DownNodes=a1 State=DOWN Reason="no power"
                        """));

        assertThat(cluster.yaml())
                .contains("p:\n    nodes: \"a[1-2]\"\n")
                .contains("q:\n    nodes: \"a[1-3],c9\"\n")
                .contains("r:\n    nodes: \"a[1-3],b[1-2]\"\n")
                .contains("s:\n    nodes: ALL\n")
                .contains("t:\n    nodes: none\n");
        assertThat(cluster.leftOut())
                .filteredOn(it -> !it.contains("NodeName=a[") && !it.contains("NodeName=b["))
                .filteredOn(it -> !it.contains("NodeName=DEFAULT"))
                .containsExactly(
                        "slurm.conf:13: DownNodes=a1 State=DOWN Reason=\"no power\": scontrol update NodeName=… State=DOWN Reason=…",
                        "NodeSet=none: no line of nodes has its feature; where a partition names it, it is a host of that name");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    DebugFlags=CPU_Bind,gres,Backfill | DebugFlags=CPU_Bind: the agents' log tells it by its category BERTH_BINDINGS, see docs/operating.md
                    DebugFlags=CPU_Bind,gres,Backfill | DebugFlags=gres: the agents' log tells it by its category BERTH_BINDINGS, see docs/operating.md
                    DebugFlags=CPU_Bind,gres,Backfill | DebugFlags=Backfill: services log to standard output
                    TaskProlog=/etc/slurm/task.sh     | TaskProlog=/etc/slurm/task.sh: none: what tasks are to find, the script of a job exports
                    PrologSlurmctld=/etc/slurm/ctld   | PrologSlurmctld=/etc/slurm/ctld: none: berth.agent.prolog runs on each node of a job
                    JobSubmitPlugins=lua              | JobSubmitPlugins=lua: none: what jobs may ask for, partitions, accounts and QOS say
                    SuspendProgram=/sbin/off          | SuspendProgram=/sbin/off: none: Berth switches no nodes off or on
                    TopologyPlugin=topology/3d_torus  | TopologyPlugin=topology/3d_torus: a cluster has a tree of switches, and blocks
                    """)
    void what_has_a_counterpart_or_none_is_told(String line, String told) {
        var cluster = new SlurmCluster();

        cluster.take(SlurmConf.parse("slurm.conf", line + "\n"));

        assertThat(cluster.leftOut()).contains("slurm.conf:1: " + told);
    }

    @Test
    void files_that_are_included_are_read_from_beside_the_one_that_does() throws IOException {
        Outcome outcome =
                imported(
                        "slurm.conf",
                        "ClusterName=a\nInclude etc/nodes.conf\nNodeName=n3\ninclude none.conf\n",
                        "etc/nodes.conf",
                        "NodeName=DEFAULT Weight=7\nInclude more.conf\nInclude ../slurm.conf\n",
                        "etc/more.conf",
                        "NodeName=n1\n");

        assertThat(outcome.out()).contains("name: a\n", "nodeWeights:\n  n1: 7\n  n3: 7\n");
        assertThat(outcome.err())
                .contains("  etc/more.conf:1: NodeName=n1: a node tells")
                .contains("  etc/nodes.conf:3: Include ../slurm.conf: it is being read already\n")
                .contains("  slurm.conf:4: include none.conf: there is no file none.conf\n");
    }

    private static final String TOPOLOGY_YAML =
            """
            ---
            - topology: plain
              cluster_default: false
              flat: true
            - topology: net   # the tree
              cluster_default: true
              tree:
                switches:
                  - switch: root
                    children: s[1-2]
                  - switch: s1
                    nodes: "n[1-2]"
                  - switch: s2
                    nodes: n[3-4]
            - topology: round
              cluster_default: false
              ring:
                rings:
                  - ring: r1
                    nodes: n[1-4]
            """;

    @Test
    void a_tree_in_yaml_is_carried_over_and_other_topologies_are_told() throws IOException {
        Outcome outcome = imported("slurm.conf", "ClusterName=a\n", "topology.yaml", TOPOLOGY_YAML);

        assertThat(outcome.out())
                .contains(
                        "switches:\n  root:\n    switches: [s1, s2]\n  s1:\n    nodes: \"n[1-2]\"\n  s2:\n    nodes: \"n[3-4]\"\n");
        assertThat(outcome.err())
                .isEqualTo(
                        """
                        Not carried over:
                          topology.yaml: topology plain: a cluster has one, that of cluster_default
                          topology.yaml: topology round: a cluster has one, that of cluster_default
                        """);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ring: {rings: []}         | topology t: ring is not there: a cluster has a tree of switches, and blocks
                    ring: {rings: [           | line 3: expected the node content, but found '<stream end>'
                    torus3d: x                | topology t: torus3d is not there: a cluster has a tree of switches, and blocks
                    """)
    void what_a_topology_in_yaml_cannot_be_is_told(String kind, String why) throws IOException {
        Outcome outcome =
                imported("slurm.conf", "", "topology.yaml", "- topology: t\n  " + kind + "\n");

        assertThat(outcome.err()).isEqualTo("Not carried over:\n  topology.yaml: " + why + "\n");
    }

    @Test
    void blocks_in_yaml_are_carried_over_and_so_is_a_list_of_switches() throws IOException {
        Outcome outcome =
                imported(
                        "topology.conf",
                        "SwitchName=top Switches=rack[1-2]\nSwitchName=rack1 Nodes=a1\nSwitchName=rack2 Nodes=a2\n",
                        "topology.yaml",
                        """
                        - topology: racks
                          block:
                            block_sizes:
                              - 4
                              - 16
                            blocks:
                            - block: b1
                              nodes: n[01-04]
                            - block: b2
                              nodes: [n05, n06]
                        """);

        assertThat(outcome.out())
                .contains("top:\n    switches: [rack1, rack2]\n")
                .contains(
                        "blocks:\n  b1: \"n[01-04]\"\n  b2: \"n05,n06\"\nblockSizes: [\"4\", \"16\"]\n");
        assertThat(outcome.err()).isEqualTo("Everything was carried over.\n");
    }

    @Test
    void what_is_made_of_newer_files_is_what_the_service_takes() throws IOException {
        Outcome outcome =
                imported(
                        "slurm.conf",
                        """
                        ClusterName=newer
                        PreemptType=preempt/qos
                        PreemptMode=GANG
                        SchedulerTimeSlice=3
                        TopologyPlugin=topology/tree
                        NodeName=n[1-2] Feature=ib Weight=3
                        NodeName=n[3-4] Feature=slow
                        NodeSet=fast Feature=ib
                        Include parts/partitions.conf
                        """,
                        "parts/partitions.conf",
                        """
                        PartitionName=fast Nodes=fast PreemptMode=SUSPEND,GANG Topology=net
                        PartitionName=all Nodes=all Default=YES
                        """,
                        "topology.yaml",
                        TOPOLOGY_YAML);

        assertThat(outcome.out()).isEqualTo(Files.readString(TAKEN.resolve("newer.yaml")));
    }

    /// Each line of the example that the project started from is carried over, or told.
    @Test
    void nothing_of_a_whole_configuration_is_lost_in_silence() throws IOException {
        String named = System.getenv("BERTH_GOLDEN");
        Path golden = Path.of(named == null ? "../../shared/golden" : named).resolve("slurm-conf");
        Assumptions.assumeTrue(Files.isDirectory(golden), () -> golden + " is absent");

        Outcome outcome =
                new CommandRun()
                        .in(golden)
                        .run(
                                List.of(
                                        "import",
                                        "slurm",
                                        "slurm.conf",
                                        "topology.conf",
                                        "gres.conf",
                                        "cgroup.conf",
                                        "accounts.dump.cfg"));

        assertThat(outcome.out())
                .isEqualTo(Files.readString(TAKEN.resolve("golden.yaml")))
                .contains("name: nvidia_ai_cluster", "halfLife: \"14-0\"", "high_prio_debug:")
                .contains("team_A:", "rack1:", "tier: 10000", "wholeCores: true")
                .contains("overSubscribe: \"FORCE:1\"");
        assertThat(outcome.err().lines().filter(it -> it.contains("slurm.conf:"))).hasSize(17);
        assertThat(outcome.err().lines().filter(it -> it.contains("gres.conf:")))
                .hasSize(10)
                .anyMatch(it -> it.contains("sharedGpus: {mps: {nodes: \"gpu-node[01-08]\""));
        assertThat(outcome.err().lines().filter(it -> it.contains("cgroup.conf:"))).hasSize(7);
        assertThat(outcome.err()).doesNotContain(SlurmElsewhere.UNKNOWN);
    }
}
