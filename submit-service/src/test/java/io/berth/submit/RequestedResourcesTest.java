package io.berth.submit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Gres;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeRange;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.contracts.event.PartitionRules.Use;
import io.berth.contracts.event.PartitionRules.Use.GpuDefaults;
import io.berth.slurm.JobSubmission;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestedResourcesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    default                                    | 1 |  1 | 1 | 0
                    nodes=2                                    | 2 |  2 | 1 | 0
                    tasks=4                                    | 1 |  4 | 1 | 0
                    nodes=2 tasks=5 cpusPerTask=3              | 2 |  5 | 3 | 0
                    nodes=4 tasks=2                            | 2 |  2 | 1 | 0
                    nodes=2 tasksPerNode=4                     | 2 |  8 | 1 | 0
                    tasks=5 tasksPerNode=2                     | 3 |  5 | 1 | 0
                    nodes=3 tasks=5 tasksPerNode=2             | 3 |  5 | 1 | 0
                    gpus=0                                     | 1 |  1 | 1 | 0
                    gpus=4                                     | 1 |  1 | 1 | 4
                    gpus=4 nodes=2                             | 2 |  2 | 1 | 2
                    gpus=16                                    | 2 |  2 | 1 | 8
                    gpus=24                                    | 3 |  3 | 1 | 8
                    gpusPerTask=3 tasks=4                      | 2 |  4 | 1 | 6
                    gpusPerTask=8 tasks=3                      | 3 |  3 | 1 | 8
                    gpus=8 gpuType=v100                        | 2 |  2 | 1 | 4
                    gpus=8 gpuType=h200                        | 1 |  1 | 1 | 8
                    gpusPerNode=8                              | 1 |  1 | 1 | 8
                    gpusPerNode=8 nodes=2                      | 2 |  2 | 1 | 8
                    gpus=16 gpusPerNode=4                      | 4 |  4 | 1 | 4
                    gpus=8 gpusPerNode=4 nodes=2               | 2 |  2 | 1 | 4
                    gpusPerTask=2 tasks=4                      | 1 |  4 | 1 | 8
                    gpusPerTask=2 tasks=4 nodes=2              | 2 |  4 | 1 | 4
                    gpusPerTask=1 nodes=2 tasksPerNode=4       | 2 |  8 | 1 | 4
                    gpusPerTask=2 gpus=8                       | 1 |  4 | 1 | 8
                    gpusPerTask=2 gpus=8 nodes=2               | 2 |  4 | 1 | 4
                    gpusPerTask=2 gpus=8 tasks=4               | 1 |  4 | 1 | 8
                    gpusPerNode=4 tasksPerGpu=2                | 1 |  8 | 1 | 4
                    gpusPerNode=4 tasksPerGpu=2 nodes=2        | 2 | 16 | 1 | 4
                    gpus=4 tasksPerGpu=1                       | 1 |  4 | 1 | 4
                    gpus=16 tasksPerGpu=2                      | 2 | 32 | 1 | 8
                    tasks=8 tasksPerGpu=4                      | 1 |  8 | 1 | 2
                    gpusPerNode=4 cpusPerGpu=8                 | 1 |  1 | 32 | 4
                    gpusPerNode=4 cpusPerGpu=8 tasksPerNode=4  | 1 |  4 | 8 | 4
                    gpus=16 cpusPerGpu=3                       | 2 |  2 | 24 | 8
                    gpus=3 nodes=2 cpusPerGpu=4                | 2 |  2 | 8 | 2
                    gpus=4 tasks=3 cpusPerGpu=2                | 1 |  3 | 3 | 4
                    cpusPerGpu=4                               | 1 |  1 | 1 | 0
                    """)
    void counts_are_worked_out_as_slurm_does(
            String asked, int nodes, int tasks, int cpusPerTask, int gpusPerNode) throws Refused {
        ResourceRequest request = request(asked);

        assertThat(request.nodes()).isEqualTo(nodes);
        assertThat(request.tasks()).isEqualTo(tasks);
        assertThat(request.cpusPerTask()).isEqualTo(cpusPerTask);
        assertThat(request.gpusOn(0)).isEqualTo(gpusPerNode);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    gpus=10 nodes=4                       | 4 |  4 | 3 3 2 2
                    gpus=9                                | 2 |  2 | 5 4
                    gpus=11 gpuType=v100                  | 3 |  3 | 4 4 3
                    gpus=3 nodes=2 tasks=4                | 2 |  4 | 2 1
                    gpusPerTask=1 tasks=3 nodes=2         | 2 |  3 | 2 1
                    gpusPerTask=2 tasks=3 nodes=2         | 2 |  3 | 4 2
                    gpusPerTask=2 gpus=6 nodes=2          | 2 |  3 | 4 2
                    gpusPerTask=3 gpus=15                 | 3 |  5 | 6 6 3
                    gpusPerTask=1 tasks=17                | 3 | 17 | 6 6 5
                    """)
    void nodes_have_as_many_gpus_as_are_left_for_them_or_as_their_tasks_want(
            String asked, int nodes, int tasks, String gpus) throws Refused {
        ResourceRequest request = request(asked);

        assertThat(request.nodes()).isEqualTo(nodes);
        assertThat(request.tasks()).isEqualTo(tasks);
        assertThat(IntStream.range(0, nodes).mapToObj(it -> Integer.toString(request.gpusOn(it))))
                .containsExactly(gpus.split(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    nodes=0                              | the number of nodes is 0, and may be 1 to 65536
                    nodes=-1                             | the number of nodes is -1
                    nodes=65537                          | the number of nodes is 65537
                    tasks=0                              | the number of tasks is 0
                    cpusPerTask=0                        | the number of CPUs per task is 0
                    cpusPerTask=2147483647               | the number of CPUs per task is 2147483647
                    tasks=1048576 cpusPerTask=65536      | more than any cluster has
                    tasksPerNode=1048576 nodes=65536     | the number of tasks is
                    gpus=-1                              | the number of GPUs is -1
                    gpus=3 nodes=4                       | 3 GPUs for 4 nodes: each has one at least
                    gpus=6 gpusPerNode=4                 | 6 GPUs are not a multiple of 4 GPUs per node
                    gpus=8 gpusPerNode=2 nodes=2         | the counts of GPUs contradict one another: 8 or 4 in all
                    gpus=5 gpusPerTask=2                 | 5 GPUs are not a multiple of 2 GPUs per task
                    gpus=4 gpusPerTask=2 tasks=4         | the counts of GPUs contradict one another: 4 or 8 in all
                    gpusPerNode=2 gpusPerTask=1 tasks=3 nodes=2 | contradict one another: 4 or 3 in all
                    gpusPerTask=2                        | GPUs per task need the number of tasks or of GPUs
                    gpus=4 gpusPerTask=4 nodes=2         | 1 tasks do not fill 2 nodes
                    gpus=16 gpusPerNode=8 tasks=1        | 16 GPUs make 2 nodes, too many for 1 tasks
                    gpus=4 cpusPerGpu=2 cpusPerTask=2    | CPUs per GPU and CPUs per task are mutually exclusive
                    gpus=4 tasksPerGpu=2 gpusPerTask=1   | tasks per GPU exclude
                    gpus=4 tasksPerGpu=2 tasks=4         | 4 tasks do not go with 2 tasks per GPU
                    tasksPerGpu=2                        | tasks per GPU need the number of tasks or of GPUs
                    gpuType=a100                         | GPU type 'a100' is given, and no number of GPUs
                    tasks=5 nodes=2 tasksPerNode=2       | 5 tasks do not fit on 2 nodes with 2 tasks per node
                    memoryMibPerCpu=1 memoryMibPerNode=1 | mutually exclusive
                    memoryMibPerGpu=1                    | memory per GPU needs GPUs
                    memoryMibPerCpu=0                    | memory per CPU is 0
                    memoryMibPerNode=-1                  | memory per node is -1
                    """)
    void what_makes_no_sense_is_refused(String asked, String because) {
        assertThatThrownBy(() -> request(asked))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused ->
                                assertThat(refused.refusal())
                                        .isInstanceOf(Refusal.InvalidOption.class))
                .hasMessageContaining(because);
    }

    @ParameterizedTest
    @CsvSource({
        "memoryMibPerNode=5,NODE,5",
        "memoryMibPerNode=0,NODE,0",
        "memoryMibPerCpu=5,CPU,5",
        "memoryMibPerGpu=5 gpus=1,GPU,5",
        "default,CPU,2048"
    })
    void memory_is_what_is_asked_for_or_the_partitions_default(
            String asked, MemoryRequest.Per per, long mib) throws Refused {
        assertThat(request(asked).memory()).isEqualTo(new MemoryRequest(per, mib));
    }

    @Test
    void without_a_default_of_the_partition_a_job_has_all_memory_of_its_nodes() throws Refused {
        var request =
                new RequestedResources(Asked.fields("default"), partition("cpu"), List.of())
                        .request(null, Map.of());

        assertThat(request.memory().wholeNode()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 17, 1000})
    void while_no_node_is_known_all_gpus_go_to_one_node(int gpus) throws Refused {
        var request =
                new RequestedResources(Asked.fields("gpus=" + gpus), partition("batch"), List.of())
                        .request(null, Map.of());

        assertThat(request.nodes()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "memoryMibPerCpu=1000                | 1 | 1000",
                "memoryMibPerCpu=2500 cpusPerTask=2  | 6 | 834",
                "memoryMibPerNode=4000               | 4 | 4000",
                "memoryMibPerNode=4000 tasks=2       | 2 | 4000",
                "memoryMibPerNode=4000 cpusPerTask=8 | 8 | 4000",
                "memoryMibPerNode=0                  | 1 | 0"
            })
    void more_memory_than_a_cpu_may_have_takes_more_cpus(String asked, int cpusPerTask, long mib)
            throws Refused {
        Partition narrow =
                batch(
                        new PartitionRules(
                                State.UP, 1, 0, 1000, List.of(), List.of(), List.of(), List.of(),
                                null, null, 0, false, null));

        ResourceRequest request =
                new RequestedResources(Asked.fields(asked), narrow, Samples.NODES)
                        .request(null, Map.of());

        assertThat(request.cpusPerTask()).isEqualTo(cpusPerTask);
        assertThat(request.memory().mib()).isEqualTo(mib);
    }

    private static Partition batch(PartitionRules rules) {
        Partition batch = partition("batch");
        return new Partition(
                batch.part(),
                batch.name(),
                true,
                batch.nodes(),
                0,
                0,
                0,
                1,
                1,
                batch.defMemoryMibPerCpu(),
                rules);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    tasks=3                | 4096
                    memoryMibPerNode=6000  | 6000
                    memoryMibPerNode=0     | 8192
                    """)
    void memory_of_a_node_is_what_the_partition_gives_and_at_most_what_it_allows(
            String asked, long mib) throws Refused {
        Partition bounded = batch(ofMemory(4096, 8192));

        ResourceRequest request =
                new RequestedResources(Asked.fields(asked), bounded, Samples.NODES)
                        .request(null, Map.of());

        assertThat(request.memory()).isEqualTo(MemoryRequest.perNode(mib));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    gpus=2                                 |  8 | GPU  | 1024
                    gpus=2 tasks=4                         |  2 | GPU  | 1024
                    gpus=2 cpusPerTask=3                   |  3 | GPU  | 1024
                    gpus=2 cpusPerGpu=1 memoryMibPerCpu=50 |  2 | CPU  | 50
                    gpus=8 nodes=2 tasks=3 cpusPerGpu=1    |  4 | GPU  | 1024
                    gpuPart=mps:50                         |  1 | NODE | 4096
                    tasks=3                                |  1 | NODE | 4096
                    """)
    void who_has_gpus_and_does_not_ask_for_cpus_or_memory_has_what_the_partition_gives_for_each(
            String asked, int cpusPerTask, MemoryRequest.Per per, long mib) throws Refused {
        var use =
                Use.ANY.with(to -> {
                    to.defaultMemoryMibPerNode = 4096;
                    to.ofGpus = new GpuDefaults(4, 1024);
                });

        ResourceRequest request =
                new RequestedResources(Asked.fields(asked), batch(of(use)), Samples.NODES)
                        .request(null, Map.of());

        assertThat(request.cpusPerTask()).isEqualTo(cpusPerTask);
        assertThat(request.memory()).isEqualTo(new MemoryRequest(per, mib));
    }

    @Test
    void more_memory_of_a_node_than_the_partition_allows_is_refused() throws Refused {
        var resources =
                new RequestedResources(
                        Asked.fields("memoryMibPerCpu=5000 tasks=2"),
                        batch(ofMemory(0, 8192)),
                        Samples.NODES);

        assertThatThrownBy(() -> resources.request(null, Map.of()))
                .isInstanceOfSatisfying(
                        Refused.class,
                        it ->
                                assertThat(it.refusal().detail())
                                        .isEqualTo(
                                                "Memory specification can not be satisfied: 10000 MiB on a node, and partition batch allows 8192"));
    }

    private static ResourceRequest ofTypes(String asked) throws Refused {
        return ofTypes(Asked.fields(asked));
    }

    private static ResourceRequest ofTypes(JobSubmission asked) throws Refused {
        var nodes = List.of(Samples.DGX, Samples.VOLTA, Samples.mixed("mixed-01", 3));
        return new RequestedResources(asked, batch(PartitionRules.DEFAULT), nodes)
                .request(null, Map.of());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    gpusPerNode=3 gpuTypes=a100:2,v100:1                 | 1 | a100:2,v100:1
                    gpusPerNode=3 gpuTypes=v100:1,a100:2 nodes=2         | 2 | a100:2,v100:1
                    gpusPerNode=2 gpuTypes=a100:1,v100:1 gpus=6          | 3 | a100:1,v100:1
                    gpus=6 gpuTypes=a100:4,v100:2 nodes=2                | 2 | a100:2,v100:1
                    gpus=8 gpuTypes=a100:4,v100:4                        | 2 | a100:2,v100:2
                    gpus=2 gpuTypes=a100:1,v100:1 maxNodes=4             | 1 | a100:1,v100:1
                    gpusPerTask=2 gpuTypes=a100:1,v100:1 tasks=4 nodes=2 | 2 | a100:2,v100:2
                    gpusPerTask=3 gpuTypes=a100:2,v100:1 tasks=1         | 1 | a100:2,v100:1
                    """)
    void every_node_has_as_many_gpus_of_each_of_several_types(String asked, int nodes, String types)
            throws Refused {
        ResourceRequest request = ofTypes(asked);

        assertThat(request.nodes()).isEqualTo(nodes);
        assertThat(request.nodesBySize()).hasSize(1);
        assertThat(GpuRequest.text(request.gpuTypesOn(0))).isEqualTo(types);
        assertThat(request.range()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    gpus=5 gpuTypes=a100:3,v100:2 nodes=2                | 2 | a100:2,v100:1; a100:1,v100:1
                    gpus=6 gpuTypes=a100:3,v100:3 nodes=2                | 2 | a100:2,v100:2; a100:1,v100:1
                    gpus=3 gpuTypes=a100:2,v100:1 nodes=2                | 2 | a100:1,v100:1; a100:1
                    gpus=7 gpuTypes=a100:4,v100:3                        | 2 | a100:2,v100:2; a100:2,v100:1
                    gpus=5 gpuTypes=a100:3,v100:2                        | 1 | a100:3,v100:2
                    gpusPerTask=2 gpuTypes=a100:1,v100:1 tasks=3 nodes=2 | 2 | a100:2,v100:2; a100:1,v100:1
                    gpusPerTask=2 gpuTypes=a100:1,v100:1 tasks=5         | 2 | a100:3,v100:3; a100:2,v100:2
                    gpusPerTask=2 gpuTypes=a100:1,v100:1 gpus=10         | 2 | a100:3,v100:3; a100:2,v100:2
                    """)
    void what_does_not_divide_of_a_type_is_on_the_first_nodes(String asked, int nodes, String types)
            throws Refused {
        ResourceRequest request = ofTypes(asked);

        assertThat(request.nodes()).isEqualTo(nodes);
        assertThat(
                        IntStream.range(0, nodes)
                                .mapToObj(node -> GpuRequest.text(request.gpuTypesOn(node))))
                .containsExactly(types.split("; "));
    }

    @Test
    void gpus_of_each_task_stay_so_where_they_are_as_many_on_each_node() throws Refused {
        assertThat(request("gpusPerTask=2 tasks=4 nodes=2").gpus())
                .isEqualTo(new GpuRequest(0, null, 2, null, null, null));
    }

    @Test
    void a_job_on_more_nodes_has_its_types_dealt_out_over_as_many_as_each_has_one() throws Refused {
        ResourceRequest request =
                ofTypes(
                        Asked.with(
                                Map.of(
                                        "gpus",
                                        5,
                                        "gpuTypes",
                                        "a100:3,v100:2",
                                        "where",
                                        Map.of("maxNodes", 8))));

        assertThat(request.range()).isEqualTo(new NodeRange(1, 3, true));
        assertThat(request.onNodes(3).gpuTypesOn(2)).isEqualTo(Map.of("a100", 1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    gpus=4 gpuTypes=a100:2,v100:2 nodes=3             | a100:2,v100:2 GPUs for 3 nodes: each has one at least, and the first ones what is left over of each type
                    gpusPerTask=2 gpuTypes=a100:1,v100:1 gpusPerNode=2 tasks=1 | GPUs of several types (a100:1,v100:1) and GPUs counted per node beside those per task exclude each other
                    gpusPerNode=4 gpuTypes=a100:2,v100:1              | GPUs of types 'a100:2,v100:1' are 3, and 4 are asked for
                    gpuTypes=a100:2,v100:1                            | GPUs of types 'a100:2,v100:1' are 3, and 0 are asked for
                    gpusPerNode=2 gpuTypes=a100:2                     | GPU types 'a100:2' are not several with a count of each, such as a100:2,v100:1
                    gpusPerNode=2 gpuTypes=a100:1,a/b:1               | GPU type 'a/b' is not 1 to 64 letters, digits, '.', '_' or '-'
                    gpusPerNode=2 gpuTypes=a100:1,v100:1 gpuType=a100 | GPUs of several types (a100:1,v100:1) and GPUs of one type exclude each other
                    gpusPerNode=2 gpuTypes=a100:1,1g.5gb:1            | Invalid generic resource (gres) specification: instances of GPUs (1g.5gb) and GPUs of other types are not of one job: 'a100:1,1g.5gb:1'
                    gpusPerNode=2 gpuTypes=a100:1,v100:1 gpuPart=mps:5 | a part of a GPU (mps:5) and whole GPUs exclude each other
                    """)
    void several_types_that_make_no_sense_are_refused(String asked, String why) {
        assertThatThrownBy(() -> ofTypes(asked))
                .isInstanceOfSatisfying(
                        Refused.class, it -> assertThat(it.refusal().detail()).isEqualTo(why));
    }

    static PartitionRules ofMemory(long given, long most) {
        return of(new Use(given, most, 0, false, List.of("ALL"), false));
    }

    private static PartitionRules of(Use use) {
        return new PartitionRules(
                State.UP, 1, 0, 0, List.of(), List.of(), List.of(), List.of(), null, null, 0, false,
                null, null, use);
    }

    @Test
    void a_job_that_is_moved_has_the_memory_that_the_new_partition_gives() throws Refused {
        ResourceRequest whole = request("memoryMibPerNode=0");
        ResourceRequest much = request("memoryMibPerNode=9000");

        assertThat(new PartitionMemory(batch(ofMemory(0, 8192))).within(whole).memory())
                .isEqualTo(MemoryRequest.perNode(8192));
        assertThatThrownBy(() -> new PartitionMemory(batch(ofMemory(0, 8192))).within(much))
                .hasMessageContaining("9000 MiB on a node, and partition batch allows 8192");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpus=2",
                "gpusPerNode=4 gpuType=a100",
                "gpus=10 nodes=4",
                "gpusPerTask=1 tasks=3 nodes=2"
            })
    void memory_beside_whole_gpus_is_what_each_of_them_has(String asked) throws Refused {
        GpuRequest without = request(asked).gpus();

        assertThat(request(asked + " gpuPart=gpumem:1M").gpus())
                .isEqualTo(
                        new GpuRequest(
                                without.perNode(),
                                without.type(),
                                without.perTask(),
                                without.total(),
                                null,
                                1L));
    }

    @Test
    void a_part_of_a_gpu_is_of_one_node() throws Refused {
        ResourceRequest request = request("gpuPart=mps:50");

        assertThat(request.nodes()).isEqualTo(1);
        assertThat(request.totalGpus()).isZero();
        assertThat(request.gpus())
                .isEqualTo(GpuRequest.of(new ShareRequest(GpuSharing.MPS, 500, null), null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpuPart=mps:50 nodes=2       | is of one GPU of one node",
                "gpuPart=mps:50 gpus=1        | exclude each other",
                "gpuPart=mps:50 gpusPerNode=1 | exclude each other",
                "gpuPart=mps:50 gpuType=a100  | exclude each other",
                "gpuPart=mps:500              | is no part of one GPU",
                "gpuPart=vgpu:1               | Invalid generic resource"
            })
    void a_part_that_contradicts_the_rest_is_refused(String asked, String because) {
        assertThatThrownBy(() -> request(asked))
                .isInstanceOfSatisfying(
                        Refused.class, it -> assertThat(it.refusal().detail()).contains(because));
    }

    @Test
    void other_resources_are_held_as_they_were_asked_for() throws Refused {
        assertThat(request("gres=nic:2").gres()).containsExactly(new Gres("nic", null, 2));
    }

    @Test
    void tasks_by_socket_are_on_as_many_nodes_as_their_sockets_take() throws Refused {
        var bySocket = Map.of("tasksPerSocket", 2);

        ResourceRequest anywhere = request(Map.of("tasks", 8, "where", bySocket));
        ResourceRequest uneven = request(Map.of("tasks", 9, "where", bySocket));
        ResourceRequest withGpus = request(Map.of("tasks", 8, "gpus", 8, "where", bySocket));
        ResourceRequest given = request(Map.of("tasks", 8, "nodes", 4, "where", bySocket));

        assertThat(List.of(anywhere.nodes(), anywhere.tasks())).containsExactly(2, 8);
        assertThat(List.of(uneven.nodes(), uneven.tasks())).containsExactly(3, 9);
        assertThat(List.of(withGpus.nodes(), withGpus.gpus().perNode())).containsExactly(2, 4);
        assertThat(given.nodes()).isEqualTo(4);
        assertThatThrownBy(() -> request(Map.of("tasks", 8, "gpus", 1, "where", bySocket)))
                .hasMessageContaining("1 GPUs for 2 nodes: each has one at least");
    }

    private static ResourceRequest request(Map<String, Object> asked) throws Refused {
        return new RequestedResources(Asked.with(asked), partition("batch"), Samples.NODES)
                .request(null, Map.of());
    }

    private static ResourceRequest request(String asked) throws Refused {
        List<NodeSeen> nodes = Samples.NODES;
        return new RequestedResources(Asked.fields(asked), partition("batch"), nodes)
                .request(null, Map.of());
    }

    private static Partition partition(String name) {
        return requireNonNull(Samples.configuration().partitions().get(name));
    }
}
