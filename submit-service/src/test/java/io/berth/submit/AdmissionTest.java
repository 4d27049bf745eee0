package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeRange;
import io.berth.contracts.NodeShape;
import io.berth.contracts.PrivateData;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.PartitionRules.Use.OverSubscribe;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Admission.Decision;
import io.berth.submit.Admission.Decision.Admitted;
import io.berth.submit.Admission.Decision.NotAdmitted;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AdmissionTest {
    private static final Caller ALICE = new Caller("alice", AdminLevel.NONE, "10.0.0.1");
    private static final Caller ROOT = new Caller("root", AdminLevel.ADMIN, "10.0.0.1");

    @Test
    void a_bare_script_becomes_a_job_by_the_clusters_defaults() {
        var description = admitted(Asked.fields("default"), ALICE).description();

        assertThat(description.user()).isEqualTo("alice");
        assertThat(description.account()).isEqualTo("team_a");
        assertThat(description.partition()).isEqualTo("batch");
        assertThat(description.qos()).isEqualTo("normal");
        assertThat(description.name()).isEqualTo("sbatch");
        assertThat(description.launch()).isEqualTo(LaunchMode.BATCH);
        assertThat(description.timeLimitSeconds()).isEqualTo(3600);
        assertThat(description.nice()).isZero();
        assertThat(description.requeue()).isTrue();
    }

    @Test
    void a_bare_script_is_launched_with_defaults() {
        JobSpec spec = admitted(Asked.fields("default"), ALICE).spec(new JobId(17));

        assertThat(spec.job()).isEqualTo(new JobId(17));
        assertThat(spec.script()).isEqualTo(Asked.SCRIPT);
        assertThat(spec.arguments()).isEmpty();
        assertThat(spec.environment()).containsExactly(Map.entry("SLURM_CLUSTER_NAME", "atlas"));
        assertThat(spec.workingDirectory()).isEqualTo("/tmp");
        assertThat(spec.standardOutput()).isEqualTo("slurm-%j.out");
        assertThat(spec.standardError()).isNull();
        assertThat(spec.standardInput()).isNull();
        assertThat(spec.appendOutput()).isFalse();
        assertThat(spec.submitHost()).isEqualTo("10.0.0.1");
    }

    @Test
    void a_job_depends_on_a_thousand_others_at_most() {
        assertThat(admitted(depending(1000), ALICE).description().conditions().dependency())
                .isNotNull();

        assertThat(refused(depending(1001), ALICE).detail()).contains("1000");
    }

    private static JobSubmission depending(int jobs) {
        return Asked.with(Map.of("terms", Map.of("dependency", "afterok" + ":1".repeat(jobs))));
    }

    @Test
    void everything_that_is_asked_for_is_kept() {
        var asked =
                Asked.with(
                        Map.ofEntries(
                                Map.entry("account", "team_b"),
                                Map.entry("partition", "cpu"),
                                Map.entry("qos", "high"),
                                Map.entry("name", "größer"),
                                Map.entry("timeLimitSeconds", 60),
                                Map.entry("nice", 5),
                                Map.entry("requeue", false),
                                Map.entry("launch", "PER_NODE"),
                                Map.entry("arguments", List.of("a b", "")),
                                Map.entry("environment", Map.of("PATH", "/bin")),
                                Map.entry("workingDirectory", "/home/alice"),
                                Map.entry("standardOutput", "o"),
                                Map.entry("standardError", "e"),
                                Map.entry("standardInput", "i"),
                                Map.entry("appendOutput", true),
                                Map.entry("submitHost", "login"),
                                Map.entry("command", "/home/alice/train.sh")));

        var admitted = admitted(asked, ALICE);

        var description = admitted.description();
        assertThat(description.account()).isEqualTo("team_b");
        assertThat(description.partition()).isEqualTo("cpu");
        assertThat(description.qos()).isEqualTo("high");
        assertThat(description.name()).isEqualTo("größer");
        assertThat(description.timeLimitSeconds()).isEqualTo(60);
        assertThat(description.nice()).isEqualTo(5);
        assertThat(description.requeue()).isFalse();
        assertThat(description.launch()).isEqualTo(LaunchMode.PER_NODE);
        assertThat(admitted.launch())
                .isEqualTo(
                        new Launch(
                                Asked.SCRIPT,
                                List.of("a b", ""),
                                Map.of("PATH", "/bin", "SLURM_CLUSTER_NAME", "atlas"),
                                "/home/alice",
                                "o",
                                "e",
                                "i",
                                true,
                                "login",
                                null,
                                null,
                                "/home/alice/train.sh"));
    }

    /// As Slurm's `-N9` of eight nodes, with `EnforcePartLimits=NO`.
    @Test
    void more_nodes_than_there_are_may_come_while_the_job_waits() {
        var description = admitted(Asked.fields("nodes=99"), ALICE).description();

        assertThat(description.request().nodes()).isEqualTo(99);
    }

    @ParameterizedTest
    @CsvSource({"batch,3600", "cpu,0", "later,600"})
    void the_time_limit_is_the_partitions_default_or_else_its_maximum(
            String partition, long seconds) {
        var description = admitted(Asked.fields("partition=" + partition), ALICE).description();

        assertThat(description.timeLimitSeconds()).isEqualTo(seconds);
    }

    @ParameterizedTest
    @CsvSource({"timeLimitSeconds=86401", "timeLimitSeconds=0", "nodes=5", "nodes=40"})
    void what_only_a_limit_of_the_partition_forbids_is_accepted_and_waits(String asked) {
        assertThat(decide(Asked.fields(asked), ALICE)).isInstanceOf(Admitted.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    partition=gone                  | invalid_partition | partition 'gone' does not exist; there are: batch, cpu, later
                    account=gone                    | invalid_account   | account 'gone' does not exist
                    account=default                 | invalid_account   | alice is not a member of account 'default'
                    qos=gone                        | invalid_qos       | QOS 'gone' does not exist; there are: normal, high
                    user=bob                        | not_allowed       | alice may not submit for bob
                    user=../../etc                  | invalid_option    | user '../../etc' is not
                    nice=-1                         | not_allowed       | nice is -1
                    nice=2147483646                 | invalid_option    | nice is 2147483646
                    timeLimitSeconds=-1             | invalid_option    | the time limit in seconds is -1
                    timeLimitSeconds=99999999999    | invalid_option    | the time limit
                    workingDirectory=home           | invalid_option    | the working directory 'home' is not absolute
                    gpus=1 gpuType=a/b              | invalid_option    | GPU type 'a/b' is not
                    gpusPerNode=9                   | node_configuration_unavailable | 9 GPUs on one node, and the largest has 8 (dgx-01)
                    gpusPerNode=5 gpuType=v100      | node_configuration_unavailable | 5 v100 GPUs on one node, and the largest has 4 (volta-01)
                    gpus=5 gpuType=v100             | node_configuration_unavailable | in partition batch: 5 v100 GPUs, and its nodes have 4 together
                    gpus=21                         | node_configuration_unavailable | in partition batch: 21 GPUs, and its nodes have 20 together
                    gpus=1 gpuType=h200             | node_configuration_unavailable | no node has GPUs of type 'h200'; types there are: a100, v100
                    gpus=1 partition=cpu            | node_configuration_unavailable | 1 GPUs on one node, and the largest has 0 (plain-01)
                    tasks=257                       | node_configuration_unavailable | 257 CPUs on one node, and the largest has 256 (plain-01)
                    memoryMibPerNode=2000001        | node_configuration_unavailable | 2000001 MiB of memory on one node, and the largest has 2000000 (plain-01)
                    gpus=1 tasks=200                | node_configuration_unavailable | no single node has 1 GPUs, 200 CPUs and 409600 MiB of memory together
                    nodes=2 tasks=513               | node_configuration_unavailable | 257 CPUs on one node
                    """)
    void what_can_never_run_is_refused_by_code(String asked, String code, String because) {
        var refusal = refused(Asked.fields(asked), ALICE);

        assertThat(refusal.code()).isEqualTo(code);
        assertThat(refusal.detail()).contains(because).doesNotContain("\n");
    }

    @Test
    void more_gpus_of_one_of_several_types_than_there_are_together_are_refused() {
        var nodes = List.of(Samples.mixed("dgx-01", 2), Samples.mixed("dgx-02", 2), Samples.VOLTA);
        var admission = new Admission(Samples.configuration(), nodes, ALICE, 1000, 0);

        assertThat(admission.decide(Asked.fields("gpus=6 gpuTypes=a100:4,v100:2")))
                .isInstanceOf(Admitted.class);
        assertThat(admission.decide(Asked.fields("gpus=7 gpuTypes=a100:5,v100:2 maxNodes=4")))
                .isInstanceOfSatisfying(
                        NotAdmitted.class,
                        it ->
                                assertThat(it.refusal().detail())
                                        .contains("5 a100 GPUs, and its nodes have 4 together"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "alice | 9 GPUs on one node, and the largest has 8",
                "root  | 9 GPUs on one node, and the largest has 8 (dgx-01)"
            })
    void nodes_that_are_private_are_named_to_operators_alone(String user, String because) {
        var configuration =
                Samples.configuration(it ->
                        it instanceof Cluster all
                                ? all.with(to -> to.privateData = List.of(PrivateData.NODES))
                                : it);
        var caller =
                new Caller(
                        user, user.equals("root") ? AdminLevel.ADMIN : AdminLevel.NONE, "10.0.0.1");
        var admission = new Admission(configuration, Samples.NODES, caller, 1000, 0);

        assertThat(admission.decide(Asked.fields("gpusPerNode=9")))
                .isInstanceOfSatisfying(
                        NotAdmitted.class,
                        it -> assertThat(it.refusal().detail()).endsWith(": " + because));
    }

    @Test
    void while_no_node_of_the_partition_is_registered_nothing_is_too_large() {
        var decision = decide(Asked.fields("partition=later gpusPerNode=64 tasks=999"), ALICE);

        assertThat(decision).isInstanceOf(Admitted.class);
    }

    @Test
    void a_job_for_all_memory_fits_where_its_cpus_fit() {
        var decision = decide(Asked.fields("memoryMibPerNode=0 tasks=256"), ALICE);

        assertThat(decision).isInstanceOf(Admitted.class);
    }

    @Test
    void an_operator_submits_for_others_and_to_any_account() {
        var description =
                admitted(Asked.fields("user=carol account=team_a nice=-100"), ROOT).description();

        assertThat(description.user()).isEqualTo("carol");
        assertThat(description.account()).isEqualTo("team_a");
        assertThat(description.nice()).isEqualTo(-100);
    }

    @Test
    void a_user_without_association_has_the_default_account() {
        var description =
                admitted(Asked.fields("default"), new Caller("carol", AdminLevel.NONE, "h"))
                        .description();

        assertThat(description.account()).isEqualTo("default");
    }

    static Stream<Arguments> badTexts() {
        return Stream.of(
                arguments("name", "bad\u0007name"),
                arguments("name", "  "),
                arguments("name", "n".repeat(257)),
                arguments("workingDirectory", "/tmp/\u0000"),
                arguments("standardOutput", "a\nb"),
                arguments("standardOutput", "o".repeat(4097)),
                arguments("standardError", "a\u001bb"),
                arguments("standardInput", "a\u007fb"),
                arguments("submitHost", "a\tb"),
                arguments("command", "a\nb"),
                arguments("command", "c".repeat(1025)),
                arguments("name", "half \ud800"),
                arguments("arguments", List.of("half \udc00")),
                arguments("arguments", List.of("a\u0000b")),
                arguments("arguments", Collections.nCopies(10_001, "a")),
                arguments("arguments", List.of("é".repeat(64 << 10))),
                arguments("environment", Map.of("A", "a".repeat((128 << 10) - 2))),
                arguments(
                        "environment",
                        IntStream.range(0, 10_001)
                                .boxed()
                                .collect(Collectors.toMap(i -> "V" + i, _ -> ""))),
                arguments("environment", Map.of("A=B", "c")),
                arguments("environment", Map.of("", "c")),
                arguments("environment", Map.of("A", "\u0000")));
    }

    @ParameterizedTest
    @MethodSource("badTexts")
    void texts_that_no_job_can_have_are_refused_on_one_printable_line(String field, Object value) {
        var refusal = refused(Asked.with(Map.of(field, value)), ALICE);

        assertThat(refusal.code()).isEqualTo("invalid_option");
        assertThat(refusal.detail().codePoints()).noneMatch(Character::isISOControl);
        assertThat(refusal.detail()).hasSizeLessThan(250);
    }

    static Stream<Arguments> badScripts() {
        return Stream.of(
                arguments("", "invalid_script", "empty"),
                arguments(" \n", "invalid_script", "whitespace"),
                arguments("hostname\n", "invalid_script", "must start with #!"),
                arguments("#!/bin/sh\n\u0000", "invalid_script", "NULL"),
                arguments("#!/bin/sh\n\ud800", "invalid_script", "not Unicode"),
                arguments("#!/bin/sh\r\nls\r\n", "invalid_script", "DOS"),
                arguments(
                        "#!/bin/sh\n" + "#".repeat(JobSpec.MAX_SCRIPT_BYTES),
                        "script_too_large",
                        "4194314 bytes"));
    }

    @ParameterizedTest
    @MethodSource("badScripts")
    void what_is_no_batch_script_is_refused(String script, String code, String because) {
        var refusal = refused(Asked.with(Map.of("script", script)), ALICE);

        assertThat(refusal.code()).isEqualTo(code);
        assertThat(refusal.detail()).contains(because).doesNotContain("\n");
    }

    @Test
    void a_layout_of_processors_that_no_node_has_is_refused() {
        var three = Asked.with(Map.of("where", Map.of("sockets", 3)));
        var two = Asked.with(Map.of("where", Map.of("sockets", 2, "threadsPerCore", 2)));

        assertThat(refused(three, ALICE).detail())
                .contains(
                        "Socket, core, thread and/or temporary disk specification can not be satisfied");
        assertThat(admitted(two, ALICE).description().request().where().shape())
                .isEqualTo(new NodeShape(2, 0, 2));
    }

    @Test
    void gpus_of_each_socket_are_those_of_the_sockets_asked_for() {
        var where = Map.of("sockets", 1, "gpusPerSocket", 4, "tasksPerSocket", 1);
        ResourceRequest request =
                admitted(Asked.with(Map.of("gpus", 8, "where", where)), ALICE)
                        .description()
                        .request();

        assertThat(request.nodes()).isEqualTo(2);
        assertThat(request.gpus()).isEqualTo(new GpuRequest(4, null, null, null, 4, null));
        assertThat(request.where().shape()).isEqualTo(new NodeShape(1, 0, 0, null, 1));
    }

    @Test
    void gpus_of_several_types_of_each_socket_are_as_many_of_each() {
        var nodes = List.of(FeasibilityTest.onTwoSockets("a100+v100"));
        var admission = new Admission(Samples.configuration(), nodes, ALICE, 1000, 0);

        assertThat(admission.decide(ofSockets(4, "a100:4,v100:4")))
                .isInstanceOfSatisfying(
                        Admitted.class,
                        it ->
                                assertThat(it.description().request().gpus())
                                        .isEqualTo(
                                                new GpuRequest(8, null, null, null, 4, null)
                                                        .of(Map.of("a100", 4, "v100", 4))));
        assertThat(refusal(admission, ofSockets(2, "a100:3,v100:1")))
                .isEqualTo(
                        "GPUs of types 'a100:3,v100:1' are not as many of each on each of 2 sockets");
        assertThat(refusal(admission, ofSockets(4, "a100:6,v100:2"))).contains("6 a100 GPUs");
        assertThat(refusal(admission, ofSockets(2, "a100:1,v100:1")))
                .isEqualTo("GPUs of types 'a100:1,v100:1' are 2, and 4 are asked for");
    }

    private static JobSubmission ofSockets(int gpusEach, String types) {
        return Asked.with(
                Map.of(
                        "gpuTypes",
                        types,
                        "where",
                        Map.of("sockets", 2, "gpusPerSocket", gpusEach)));
    }

    private static String refusal(Admission admission, JobSubmission asked) {
        return admission.decide(asked) instanceof NotAdmitted it ? it.refusal().detail() : "";
    }

    @Test
    void gpus_of_sockets_that_cannot_be_had_are_refused() {
        var unsaid = Asked.with(Map.of("where", Map.of("gpusPerSocket", 2)));
        var apart = Asked.with(Map.of("where", Map.of("sockets", 2, "gpusPerSocket", 2)));
        var linked =
                Asked.with(
                        Map.of(
                                "where",
                                Map.of("sockets", 2, "gpusPerSocket", 2, "parallel", "model")));

        assertThat(refused(unsaid, ALICE).detail())
                .contains("--gpus-per-socket option requires --sockets-per-node specification");
        assertThat(refused(apart, ALICE).detail())
                .contains("no node is known to have 2 GPUs on each of 2 sockets");
        assertThat(
                        refused(
                                        Asked.with(
                                                Map.of(
                                                        "gpuPart",
                                                        "mps:50",
                                                        "where",
                                                        Map.of("tasksPerSocket", 1))),
                                        ALICE)
                                .detail())
                .contains("a part of a GPU (mps:50) and tasks per socket exclude each other");
        assertThat(refused(linked, ALICE).detail()).contains("parallel=model");
    }

    @Test
    void tasks_by_socket_that_no_node_holds_are_refused_as_are_cpus_beyond_them_of_its_gpus() {
        var tooMany =
                Asked.with(Map.of("nodes", 1, "tasks", 8, "where", Map.of("tasksPerSocket", 2)));
        var beyond =
                Asked.with(
                        Map.of(
                                "where",
                                Map.of(
                                        "sockets",
                                        1,
                                        "gpusPerSocket",
                                        4,
                                        "tasksPerSocket",
                                        1,
                                        "minCpusPerNode",
                                        2)));

        assertThat(refused(tooMany, ALICE).detail())
                .contains("CPUs for 8 tasks of 1, at most 2 tasks on a socket");
        assertThat(refused(beyond, ALICE).detail())
                .contains("--mincpus goes with --gpus-per-socket or with --ntasks-per-socket");
    }

    @Test
    void a_range_of_nodes_goes_as_far_as_tasks_and_gpus_do() {
        ResourceRequest ofTasks = range(Map.of("nodes", 2, "tasks", 4));
        ResourceRequest ofNodes = range(Map.of("nodes", 2, "gpusPerNode", 2));
        ResourceRequest inTotal = range(Map.of("nodes", 1, "gpus", 12));

        assertThat(ofTasks.range()).isEqualTo(new NodeRange(2, 4, false));
        assertThat(ofNodes.range()).isEqualTo(new NodeRange(2, 8, true));
        assertThat(ofNodes.gpus().perNode()).isEqualTo(2);
        assertThat(inTotal.range()).as("8 GPUs a node").isEqualTo(new NodeRange(2, 8, true));
        assertThat(inTotal.gpus().total()).isEqualTo(12);
    }

    private static ResourceRequest range(Map<String, Object> asked) {
        var fields = new HashMap<>(asked);
        fields.put("where", Map.of("maxNodes", 8));
        return admitted(Asked.with(fields), ALICE).description().request();
    }

    @Test
    void a_range_that_ends_before_it_begins_is_refused() {
        var backwards = Asked.with(Map.of("nodes", 3, "where", Map.of("maxNodes", 2)));

        assertThat(refused(backwards, ALICE).detail())
                .isEqualTo("the most nodes is 2, and may be 3 to 65536");
    }

    @Test
    void a_temporary_disk_that_no_node_has_is_refused() {
        var disk = Asked.with(Map.of("where", Map.of("tmpMib", 1000)));

        assertThat(refused(disk, ALICE).detail()).contains("temporary disk");
    }

    @Test
    void a_job_that_names_no_number_of_nodes_has_as_many_as_its_constraint_counts() {
        var counted = where(Map.of("constraint", "[a*2&b*4]"));
        var more = Asked.with(Map.of("nodes", 8, "where", Map.of("constraint", "a*2")));

        assertThat(admitted(counted, ALICE).description().request().nodes()).isEqualTo(6);
        assertThat(admitted(more, ALICE).description().request().nodes()).isEqualTo(8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "2; [a*2&b*4]; Invalid feature specification: '[a*2&b*4]' counts 6 nodes, and the job has 2",
                "4; a*2|b; Invalid feature specification: in 'a*2|b' a count such as a*2 must stand alone",
                "4; a*0; Invalid feature specification: constraint 'a*0' cannot be read from character 4 on"
            })
    void a_constraint_that_counts_what_cannot_be_is_refused(
            int nodes, String constraint, String because) {
        var asked = Asked.with(Map.of("nodes", nodes, "where", Map.of("constraint", constraint)));

        assertThat(refused(asked, ALICE).detail()).contains(because);
    }

    @Test
    void what_a_job_prefers_is_kept_beside_what_it_must_have() {
        NodeConstraints where =
                admitted(where(Map.of("constraint", "a100", "prefer", "h100&nvme")), ALICE)
                        .description()
                        .request()
                        .where();

        assertThat(where.features()).hasToString("a100");
        assertThat(where.prefer()).hasToString("h100&nvme");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "h100*3; Invalid feature specification: 'h100*3' counts 3 nodes, and the job has 2",
                "h100&; Invalid feature specification: constraint 'h100&' cannot be read from character 6 on"
            })
    void what_no_job_can_prefer_is_refused(String prefer, String because) {
        var asked = Asked.with(Map.of("nodes", 2, "where", Map.of("prefer", prefer)));

        assertThat(refused(asked, ALICE).detail()).contains(because);
    }

    @Test
    void a_deadline_that_is_over_is_refused() {
        var admission = new Admission(Samples.configuration(), Samples.NODES, ALICE, 1000, 2_000);

        assertThat(admission.decide(Asked.with(Map.of("terms", Map.of("deadlineAt", 2_000)))))
                .isInstanceOfSatisfying(
                        NotAdmitted.class,
                        it ->
                                assertThat(it.refusal().detail())
                                        .isEqualTo("the deadline is over: 1970-01-01T00:00:02Z"));
        assertThat(admission.decide(Asked.with(Map.of("terms", Map.of("deadlineAt", 2_001)))))
                .isInstanceOf(Admitted.class);
    }

    @Test
    void a_least_time_above_the_limit_is_refused() {
        var asked =
                Asked.with(Map.of("timeLimitSeconds", 600, "terms", Map.of("timeMinSeconds", 601)));

        assertThat(refused(asked, ALICE).detail())
                .isEqualTo(
                        "Invalid time-min specification (exceeds job's time or other limits): 601 seconds, and the limit is 600");
    }

    @Test
    void a_job_may_want_its_nodes_for_its_user_alone() {
        var asked = where(Map.of("exclusiveUser", true));

        assertThat(admitted(asked, ALICE).description().request().where().sharing())
                .isEqualTo(Sharing.USER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"exclusiveUser", "contiguous"})
    void a_job_has_its_nodes_alone_where_its_partition_says_so(String wanted) throws Refused {
        var configuration = Samples.configuration(it -> Samples.exclusive("cpu", it));
        var admission = new Admission(configuration, Samples.NODES, ALICE, 10_001, 0);

        var asked = Asked.with(Map.of("partition", "cpu", "where", Map.of(wanted, true)));

        assertThat(admission.decide(asked))
                .isInstanceOfSatisfying(
                        Admitted.class,
                        it ->
                                assertThat(it.description().request().where().sharing())
                                        .isEqualTo(Sharing.NODE));
        assertThat(admission.decide(Asked.fields("partition=cpu gpuPart=mps:50")))
                .isInstanceOfSatisfying(
                        NotAdmitted.class,
                        it ->
                                assertThat(it.refusal().detail())
                                        .isEqualTo(
                                                "a part of a GPU (mps:50) is of one GPU of one node that others use too"));
        var topo = Asked.with(Map.of("partition", "cpu", "where", Map.of("exclusiveTopo", true)));
        assertThat(admission.decide(topo))
                .isInstanceOfSatisfying(
                        NotAdmitted.class,
                        it ->
                                assertThat(it.refusal().detail())
                                        .startsWith("--exclusive=topo is not for a partition"));
    }

    @ParameterizedTest
    @CsvSource({
        "true,  exclusive,     SHARED",
        "true,  contiguous,    SHARED",
        "true,  exclusiveUser, USER",
        "false, exclusive,     NODE",
        "false, contiguous,    SHARED",
        "false, oversubscribe, OVERSUBSCRIBE"
    })
    void a_job_shares_its_cpus_where_its_partition_has_all_do_so_or_where_it_asks(
            boolean forced, String wanted, Sharing sharing) {
        var configuration =
                Samples.configuration(it ->
                        Samples.used(
                                "cpu", to -> to.overSubscribe = new OverSubscribe(forced, 2), it));
        var admission = new Admission(configuration, Samples.NODES, ALICE, 10_001, 0);

        var asked = Asked.with(Map.of("partition", "cpu", "where", Map.of(wanted, true)));

        assertThat(admission.decide(asked))
                .isInstanceOfSatisfying(
                        Admitted.class,
                        it ->
                                assertThat(it.description().request().where().sharing())
                                        .isEqualTo(sharing));
    }

    @Test
    void one_thread_of_each_core_is_for_clusters_that_give_out_whole_cores() {
        var byCore =
                Samples.configuration(it ->
                        it instanceof Cluster all ? all.with(to -> to.wholeCores = true) : it);
        var admission = new Admission(byCore, Samples.NODES, ALICE, 10_001, 0);
        JobSubmission one = where(Map.of("threadsUsed", 1));

        assertThat(refused(one, ALICE).detail())
                .contains(
                        "1 of the 2 threads of a core (--hint, --ntasks-per-core) cannot be had on",
                        "gives out CPUs one by one, not whole cores");
        assertThat(admitted(where(Map.of("threadsUsed", 2)), ALICE)).isNotNull();
        for (String count : List.of("threadsUsed", "threadsPerCore")) {
            assertThat(admission.decide(where(Map.of(count, 1))))
                    .isInstanceOfSatisfying(
                            Admitted.class,
                            it ->
                                    assertThat(it.description().request().where().shape())
                                            .extracting(NodeShape::threadsUsed)
                                            .isEqualTo(1));
        }
    }

    private static JobSubmission where(Map<String, ?> where) {
        return Asked.with(Map.of("where", where));
    }

    private static Decision decide(JobSubmission asked, Caller caller) {
        List<NodeSeen> nodes = Samples.NODES;
        return new Admission(Samples.configuration(), nodes, caller, 10_001, 0).decide(asked);
    }

    private static Admitted admitted(JobSubmission asked, Caller caller) {
        return switch (decide(asked, caller)) {
            case Admitted it -> it;
            case NotAdmitted it -> throw new AssertionError(it.refusal());
        };
    }

    private static Refusal refused(JobSubmission asked, Caller caller) {
        return switch (decide(asked, caller)) {
            case Admitted it -> throw new AssertionError(it.description());
            case NotAdmitted it -> it.refusal();
        };
    }
}
