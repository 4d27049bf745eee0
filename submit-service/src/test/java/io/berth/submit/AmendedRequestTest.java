package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.Amendment;
import io.berth.contracts.DeclaredGres;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Gres;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeShape;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AmendedRequestTest {

    /// 4 tasks of 2 CPUs on 2 nodes, with a GPU each.
    private static final ResourceRequest BEFORE =
            new ResourceRequest(2, 4, 2, MemoryRequest.perNode(1000), new GpuRequest(1, null));

    private static @Nullable ResourceRequest amended(Map<String, ?> change) throws Refused {
        return amended(change, JobState.PENDING);
    }

    private static @Nullable ResourceRequest amended(Map<String, ?> change, JobState state)
            throws Refused {
        return amended("batch", BEFORE, change, state);
    }

    private static @Nullable ResourceRequest amended(
            String partition, ResourceRequest before, Map<String, ?> change, JobState state)
            throws Refused {
        return amendment(partition, before, change, state).request();
    }

    private static Amendment amendment(
            String partition, ResourceRequest before, Map<String, ?> change, JobState state)
            throws Refused {
        var caller = new Caller("alice", AdminLevel.NONE, "10.0.0.1");
        var status =
                Samples.status(
                        1,
                        Samples.description("alice", partition, 1).with(before),
                        state,
                        Reason.RESOURCES,
                        Rank.NONE);
        var admission =
                new Admission(
                        Samples.configuration(AmendedRequestTest::configured),
                        Samples.NODES,
                        caller,
                        1000,
                        0);
        return new Amendments(admission, Samples.NODES, caller)
                .of(
                        new JobFold().job(status, 0),
                        Json.mapper().convertValue(change, JobChange.class));
    }

    /// Nodes have NICs; in partition `cpu` a job has at most 3000 MiB of a node.
    private static ConfigEntry configured(ConfigEntry entry) {
        var nics = new DeclaredGres(List.of("ALL"), List.of(new Gres("nic", null, 2)));
        return switch (entry) {
            case Partition later when later.name().equals("later") ->
                    Samples.exclusive("later", later);
            case Cluster cluster -> cluster.with(to -> to.gres = List.of(nics));
            case Partition cpu when cpu.name().equals("cpu") ->
                    Samples.with(cpu, RequestedResourcesTest.ofMemory(0, 3000));
            default -> entry;
        };
    }

    @Test
    void whole_gpus_may_be_of_so_much_memory() throws Refused {
        ResourceRequest amended =
                Objects.requireNonNull(amended(Map.of("gres", "gpu:2,gpumem:1M")));

        assertThat(amended.gpus()).isEqualTo(new GpuRequest(2, null, null, null, null, 1L));
    }

    @Test
    void each_node_has_a_gpu_at_least_of_those_that_are_spread() {
        var spread = BEFORE.with(new GpuRequest(0, null, null, 3, null, null));

        assertThatThrownBy(() ->
                        amended("batch", spread, Map.of("nodes", 4, "tasks", 4), JobState.PENDING))
                .hasMessageContaining("3 GPUs for 4 nodes: each has one at least");
    }

    @Test
    void fewer_nodes_have_no_more_memory_each_than_the_partition_allows() throws Refused {
        ResourceRequest before = BEFORE.with(MemoryRequest.perCpu(500), 2);

        assertThatThrownBy(() -> amended("cpu", before, Map.of("nodes", 1), JobState.PENDING))
                .isInstanceOfSatisfying(
                        Refused.class,
                        it ->
                                assertThat(it.refusal().detail())
                                        .endsWith(
                                                "4000 MiB on a node, and partition cpu allows 3000"));
        assertThat(amended("cpu", before, Map.of("nodes", 4), JobState.PENDING))
                .isNotNull()
                .returns(4, ResourceRequest::nodes);
    }

    @Test
    void memory_is_raised_and_all_else_stays() throws Refused {
        assertThat(amended(Map.of("memoryMibPerNode", 64000)))
                .isEqualTo(BEFORE.with(MemoryRequest.perNode(64000), 2));
        assertThat(amended(Map.of("memoryMibPerCpu", 500)))
                .isEqualTo(BEFORE.with(MemoryRequest.perCpu(500), 2));
        assertThat(amended(Map.of("memoryMibPerNode", 0)))
                .extracting(it -> it.memory().wholeNode())
                .isEqualTo(true);
    }

    @Test
    void what_it_prefers_is_asked_for_stays_and_is_not_any_more() throws Refused {
        ResourceRequest rather = Objects.requireNonNull(amended(Map.of("prefer", "h100")));

        assertThat(rather.where().prefer()).hasToString("h100");
        assertThat(amended("batch", rather, Map.of("constraint", "nvme"), JobState.PENDING))
                .extracting(ResourceRequest::where)
                .satisfies(it -> assertThat(it.prefer()).hasToString("h100"));
        assertThat(amended("batch", rather, Map.of("prefer", ""), JobState.PENDING))
                .isEqualTo(BEFORE);
    }

    @Test
    void switches_are_asked_for_and_not_any_more() throws Refused {
        ResourceRequest few = Objects.requireNonNull(amended(Map.of("switches", "1@10:00")));

        assertThat(few.where().switches()).isEqualTo(new SwitchLimit(1, 600L));
        assertThat(amended("batch", few, Map.of("switches", ""), JobState.PENDING))
                .isEqualTo(BEFORE);
        assertThat(amended("batch", few, Map.of("topology", ""), JobState.PENDING))
                .isEqualTo(BEFORE);
        assertThatThrownBy(() -> amended(Map.of("topology", "rack")))
                .hasMessageContaining("there is no level 'rack'");
        assertThatThrownBy(() -> amended(Map.of("switches", "few")))
                .hasMessageContaining("Invalid numeric value \"few\" for --switches");
        assertThatThrownBy(() -> amended(Map.of("switches", "1"), JobState.RUNNING))
                .hasMessageContaining("no longer pending");
    }

    @Test
    void a_job_may_do_with_less_time_down_to_its_limit() throws Refused {
        assertThat(terms(Map.of("timeMinSeconds", 600)).timeMinSeconds()).isEqualTo(600L);
        assertThat(terms(Map.of("timeMinSeconds", 0)).timeMinSeconds()).isNull();
        assertThat(terms(Map.of("timeMinSeconds", 1200, "timeLimitSeconds", 1200)).timeMinSeconds())
                .isEqualTo(1200L);
        assertThatThrownBy(() -> terms(Map.of("timeMinSeconds", 7200)))
                .hasMessageContaining("Invalid time-min specification");
        assertThatThrownBy(() -> amended(Map.of("timeMinSeconds", 60), JobState.RUNNING))
                .hasMessageContaining("no longer pending");
    }

    private static JobTerms terms(Map<String, ?> change) throws Refused {
        return Objects.requireNonNull(amendment("batch", BEFORE, change, JobState.PENDING).terms());
    }

    @Test
    void tasks_and_cpus_are_changed() throws Refused {
        ResourceRequest request =
                Objects.requireNonNull(
                        amended(Map.of("tasks", 6, "cpusPerTask", 4, "minCpusPerNode", 16)));

        assertThat(request.nodes()).isEqualTo(2);
        assertThat(request.tasks()).isEqualTo(6);
        assertThat(request.cpusPerTask()).isEqualTo(4);
        assertThat(request.minCpusPerNode()).isEqualTo(16);
    }

    @Test
    void what_it_has_of_each_node_is_changed() throws Refused {
        ResourceRequest request =
                Objects.requireNonNull(amended(Map.of("gres", "gpu:a100:2,nic:1")));

        assertThat(request.gpus()).isEqualTo(new GpuRequest(2, "a100"));
        assertThat(request.gres()).containsExactly(new Gres("nic", null, 1));
        assertThat(Objects.requireNonNull(amended(Map.of("gres", ""))).gpus())
                .isEqualTo(GpuRequest.NONE);
    }

    @Test
    void it_has_its_nodes_alone_and_side_by_side() throws Refused {
        ResourceRequest request =
                Objects.requireNonNull(amended(Map.of("exclusive", true, "contiguous", true)));

        assertThat(request.where().sharing()).isEqualTo(Sharing.NODE);
        assertThat(request.where().sideBySide()).isTrue();
    }

    @Test
    void it_has_its_nodes_alone_in_a_partition_that_says_so() throws Refused {
        assertThat(amended("later", BEFORE, Map.of("exclusive", false), JobState.PENDING))
                .isNotNull()
                .returns(Sharing.NODE, it -> it.where().sharing());
        assertThat(amended("batch", BEFORE, Map.of("partition", "later"), JobState.PENDING))
                .isNotNull()
                .returns(Sharing.NODE, it -> it.where().sharing());
        assertThat(amended("later", BEFORE, Map.of("timeLimitSeconds", 60), JobState.RUNNING))
                .isNull();
    }

    @Test
    void what_does_not_change_what_is_asked_for_leaves_it() throws Refused {
        assertThat(amended(Map.of("name", "other"))).isNull();
        assertThat(amended(Map.of("memoryMibPerNode", 1000))).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tasks | 1 | 1 tasks of 2 CPUs on 2 nodes",
                "gres | gpu:a100:x | Invalid generic resource (gres) specification: ",
                "gres | mps:50 | a part of a GPU on 2 nodes: it is of one GPU of one node",
                "gres | gup:2 | Invalid generic resource (gres) specification: no node has 'gup'; there are: gpu, mps, shard, nic",
                "licenses | matlab:1 | Invalid license specification",
                "memoryMibPerCpu | 0 | memory per CPU",
                "gres | gpu:2147483647 | the number of GPUs per node",
                "gres | gpu:\u001b[2J:1 | GPU type "
            })
    void what_cannot_be_is_refused(String what, String value, String message) {
        Object asked = value.matches("\\d+") ? (Object) Long.valueOf(value) : value;
        assertThatThrownBy(() -> amended(Map.of(what, asked)))
                .isInstanceOfSatisfying(
                        Refused.class, it -> assertThat(it.refusal().detail()).contains(message));
    }

    @Test
    void more_than_any_cluster_has_is_refused() {
        assertThatThrownBy(() ->
                        amended(Map.of("nodes", 65536, "tasks", 65536, "minCpusPerNode", 65536)))
                .hasMessageContaining("more than any cluster has");
        assertThatThrownBy(() ->
                        amended(Map.of("nodes", 65536, "tasks", 65536, "gres", "gpu:1048576")))
                .hasMessageContaining("more than any cluster has");
    }

    @Test
    void cpus_beyond_those_of_tasks_on_sockets_are_refused_as_at_submission() throws Refused {
        var shape = new NodeShape(2, 0, 0, null, 2);
        ResourceRequest before =
                new ResourceRequest(
                        2,
                        4,
                        2,
                        MemoryRequest.perNode(1000),
                        new GpuRequest(2, null, null, null, 1, null),
                        new NodeConstraints(
                                null,
                                List.of(),
                                List.of(),
                                Sharing.SHARED,
                                null,
                                null,
                                shape,
                                null),
                        null);

        assertThatThrownBy(() ->
                        amended("batch", before, Map.of("minCpusPerNode", 64), JobState.PENDING))
                .hasMessageContaining("--mincpus goes with --gpus-per-socket");
    }

    @Test
    void what_a_run_holds_stays() {
        for (String what : List.of("memoryMibPerNode", "tasks", "cpusPerTask", "minCpusPerNode")) {
            assertThatThrownBy(() -> amended(Map.of(what, 8), JobState.RUNNING))
                    .isInstanceOfSatisfying(
                            Refused.class,
                            it ->
                                    assertThat(it.refusal().detail())
                                            .isEqualTo("Job is no longer pending execution"));
        }
    }
}
