package io.berth.agent.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.Gpu;
import io.berth.contracts.Hardware;
import io.berth.contracts.Hardware.NumaNode;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodesTest {

    private static final Host HOST =
            new Host("lab", IndexSet.parse("4-7"), 1, 2, 2, 14_000, "Linux", "amd64");

    private static final Hardware NOTHING =
            new Hardware(List.of(), List.of(), 0, List.of(), List.of());

    @ParameterizedTest
    @CsvSource({
        "dgx-a100,8,a100,256,1048576",
        "dgx-h100,8,h100,224,2097152",
        "dgx-v100,8,v100,80,524288",
        "l4,4,l4,64,262144"
    })
    void a_profile_declares_a_whole_server(
            String name, int gpus, String type, int cpus, long memoryMib) {
        LocalNode node = LocalNode.virtual(HOST, "n1", GpuProfile.named(name));

        assertThat(node.inventory().gpus()).hasSize(gpus).allMatch(it -> it.type().equals(type));
        assertThat(node.inventory().cpus()).isEqualTo(cpus);
        assertThat(node.inventory().memoryMib()).isEqualTo(memoryMib);
        assertThat(node.inventory().simulated()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"4, 0", "'4,6', 0-1", "9, ''", "'', ''"})
    void memory_is_near_in_the_numa_nodes_of_the_cpus(String cpus, String nodes) {
        var hardware =
                new Hardware(
                        List.of(
                                new NumaNode(0, IndexSet.parse("0-1"), 1024),
                                new NumaNode(1, IndexSet.parse("2"), 1024),
                                new NumaNode(2, IndexSet.parse("3"), 0),
                                new NumaNode(3, IndexSet.EMPTY, 1024)),
                        List.of(),
                        0,
                        List.of(),
                        List.of());
        LocalNode node = LocalNode.host(HOST, "n1", FoundGpus.NONE, hardware);

        assertThat(node.memoryNodes(IndexSet.parse(cpus))).hasToString(nodes);
        assertThat(node.memoryNodes(IndexSet.parse("7"))).isEqualTo(IndexSet.EMPTY);
    }

    @Test
    void declared_gpus_have_uuids_that_depend_on_node_and_index_alone() {
        GpuProfile profile = GpuProfile.named("dgx-a100");

        List<String> first = uuids(profile, "n1");

        assertThat(first)
                .isEqualTo(uuids(profile, "n1"))
                .doesNotHaveDuplicates()
                .doesNotContainAnyElementsOf(uuids(profile, "n2"))
                .allMatch(it ->
                        it.matches(
                                "GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
        assertThat(profile.gpus(new NodeName("n1"), true)).allMatch(gpu -> gpu.minor() == -1);
    }

    @Test
    void an_unknown_profile_is_refused_with_the_names_of_those_that_there_are() {
        assertThatThrownBy(() -> GpuProfile.named("dgx-b200"))
                .isInstanceOf(StartRefused.class)
                .hasMessage(
                        "unknown GPU profile 'dgx-b200': there are dgx-a100, dgx-h100, dgx-v100, l4");
    }

    @Test
    void virtual_nodes_are_numbered_within_their_profile() {
        assertThat(VirtualNodes.of("2xdgx-a100,1xl4,1xdgx-a100", HOST))
                .extracting(node -> node.name().value())
                .containsExactly("dgx-a100-01", "dgx-a100-02", "l4-01", "dgx-a100-03");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "dgx-a100", "0xl4", "2 x l4", "2xl4,", "-1xl4", "2xL4"})
    void other_texts_declare_nothing(String text) {
        assertThatThrownBy(() -> VirtualNodes.of(text, HOST))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("COUNTxPROFILE");
    }

    @Test
    void a_host_without_a_profile_has_no_gpus_and_is_real() {
        LocalNode node = LocalNode.host(HOST, "lab", FoundGpus.NONE, NOTHING);

        assertThat(node.inventory().gpus()).isEmpty();
        assertThat(node.inventory().simulated()).isFalse();
        assertThat(node.inventory().profile()).isNull();
    }

    @Test
    void a_host_with_a_profile_keeps_its_own_cpus_and_memory() {
        LocalNode node = LocalNode.declared(HOST, "lab", GpuProfile.named("dgx-a100"), NOTHING);

        assertThat(node.inventory().cpus()).isEqualTo(4);
        assertThat(node.inventory().memoryMib()).isEqualTo(14_000);
        assertThat(node.inventory().gpus()).extracting(Gpu::numaNode).containsOnly(-1);
        assertThat(node.inventory().simulated()).isTrue();
    }

    @Test
    void cpus_are_counted_from_0_whatever_the_host_calls_them() {
        LocalNode node = LocalNode.host(HOST, "lab", FoundGpus.NONE, NOTHING);

        assertThat(node.onHost(IndexSet.parse("0,2-3"))).isEqualTo(IndexSet.parse("4,6-7"));
    }

    @Test
    void a_virtual_node_cannot_bind_to_cpus() {
        LocalNode node = LocalNode.virtual(HOST, "n1", GpuProfile.named("l4"));

        LocalNode enforcing = node.enforcing(EnumSet.allOf(Isolation.class));

        assertThat(enforcing.inventory().isolation())
                .containsExactly(Isolation.DEVICES, Isolation.MEMORY);
    }

    @Test
    void a_host_name_that_is_no_node_name_is_refused() {
        assertThatThrownBy(() -> LocalNode.host(HOST, "-x", FoundGpus.NONE, NOTHING))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("berth.agent.name");
    }

    @ParameterizedTest
    @CsvSource({"1000,900", "20480,18432", "1048576,1046528"})
    void a_tenth_of_the_memory_and_at_most_2_GiB_stay_with_the_system(long total, long jobs) {
        assertThat(Host.forJobs(total)).isEqualTo(jobs);
    }

    @Test
    void this_host_has_cpus_memory_and_a_name() throws IOException {
        Host host = Host.read(SystemFiles.HERE);

        assertThat(host.cpus().size()).isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(host.sockets() * host.coresPerSocket() * host.threadsPerCore())
                .isGreaterThanOrEqualTo(host.cpus().size());
        assertThat(host.memoryMib()).isPositive();
        assertThat(host.name()).isNotEmpty().doesNotContain(".");
    }

    /// Two sockets of two cores with two threads, as the kernel numbers them: 0 and 4 are threads
    /// of one core, 0, 1, 4 and 5 those of the first socket. Core numbers have gaps, and are the
    /// same in both sockets.
    private static SystemFiles twoSockets(Path root, String allowed) throws IOException {
        for (int cpu = 0; cpu < 8; cpu++) {
            Path topology =
                    Files.createDirectories(
                            root.resolve("sys/devices/system/cpu/cpu" + cpu + "/topology"));
            Files.writeString(topology.resolve("physical_package_id"), cpu % 4 / 2 + "\n");
            Files.writeString(topology.resolve("core_id"), cpu % 2 * 8 + "\n");
        }
        Files.createDirectories(root.resolve("proc/self"));
        Files.writeString(
                root.resolve("proc/self/status"),
                "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t%s\n".formatted(allowed));
        Files.writeString(
                root.resolve("proc/meminfo"),
                "MemTotal:       16777216 kB\nMemAvailable:    8388608 kB\n");
        Files.createDirectories(root.resolve("proc/sys/kernel"));
        Files.writeString(root.resolve("proc/sys/kernel/hostname"), "gpu-07.example.org\n");
        Files.createDirectories(root.resolve("etc"));
        Files.writeString(
                root.resolve("etc/os-release"), "NAME=\"Debian\"\nPRETTY_NAME=\"Debian 12\"\n");
        return new SystemFiles(root);
    }

    @Test
    void a_host_is_read_from_the_kernels_files(@TempDir Path root) throws IOException {
        assertThat(Host.read(twoSockets(root, "0-7")))
                .isEqualTo(
                        new Host(
                                "gpu-07",
                                IndexSet.parse("0-7"),
                                2,
                                2,
                                2,
                                16_384 - 1638,
                                "Debian 12",
                                System.getProperty("os.arch")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0-7         | 2 | 2 | 2",
                "0,1,4,5     | 1 | 2 | 2",
                "0-3         | 2 | 2 | 1",
                "0,4         | 1 | 1 | 2",
                "1-7         | 2 | 2 | 2",
                "0,1,3,4,5,7 | 2 | 2 | 2"
            })
    void sockets_cores_and_threads_are_those_of_the_cpus_that_may_be_used(
            String allowed, int sockets, int cores, int threads, @TempDir Path root)
            throws IOException {
        Host host = Host.read(twoSockets(root, allowed));

        assertThat(host.sockets()).isEqualTo(sockets);
        assertThat(host.coresPerSocket()).isEqualTo(cores);
        assertThat(host.threadsPerCore()).isEqualTo(threads);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2,3,6,7 | 1 | 2 | 2",
                "4-7 | 2 | 2 | 1",
                "0,2,4,6 | 2 | 1 | 2",
                "0 | 2 | 2 | 2"
            })
    void a_socket_that_is_set_aside_is_not_one_of_the_nodes(
            String reserved, int sockets, int cores, int threads, @TempDir Path root)
            throws IOException {
        SystemFiles files = twoSockets(root, "0-7");

        Host left = Host.read(files).without(files, Optional.of(reserved), OptionalLong.of(384));

        assertThat(left.sockets()).isEqualTo(sockets);
        assertThat(left.coresPerSocket()).isEqualTo(cores);
        assertThat(left.threadsPerCore()).isEqualTo(threads);
        assertThat(left.memoryMib()).isEqualTo(16_000);
    }

    @Test
    void the_hardware_of_this_host_covers_its_cpus() throws IOException {
        Host host = Host.read(SystemFiles.HERE);

        Hardware hardware = HardwareFiles.read(SystemFiles.HERE, host, FoundGpus.NONE);

        assertThat(hardware.tmpMib()).isPositive();
        if (!hardware.numaNodes().isEmpty()) {
            assertThat(hardware.numaNodes().stream().mapToInt(node -> node.cpus().size()).sum())
                    .isEqualTo(host.cpus().size());
            assertThat(hardware.numaNodes().getFirst().memoryMib()).isPositive();
        }
    }

    @Test
    void the_cores_are_those_that_the_kernel_tells_numbered_as_the_nodes_cpus(@TempDir Path root)
            throws IOException {
        for (int cpu = 0; cpu < 8; cpu++) {
            Path topology =
                    Files.createDirectories(
                            root.resolve("sys/devices/system/cpu/cpu" + cpu + "/topology"));
            Files.writeString(
                    topology.resolve("thread_siblings_list"), cpu % 4 + "," + (cpu % 4 + 4) + "\n");
        }
        var files = new SystemFiles(root);

        assertThat(HardwareFiles.read(files, HOST, FoundGpus.NONE).cores())
                .as("of CPUs 4 to 7")
                .containsExactly(0, 1, 2, 3);
        Host all = new Host("lab", IndexSet.parse("1-7"), 1, 4, 2, 14_000, "Linux", "amd64");
        assertThat(HardwareFiles.read(files, all, FoundGpus.NONE).cores())
                .containsExactly(0, 1, 2, 3, 0, 1, 2);
        Host more = new Host("lab", IndexSet.parse("0-8"), 1, 4, 2, 14_000, "Linux", "amd64");
        assertThat(HardwareFiles.read(files, more, FoundGpus.NONE).cores())
                .as("nothing is told of CPU 8")
                .isEmpty();
    }

    @Test
    void a_process_is_known_by_its_number_and_its_start() {
        long self = ProcessHandle.current().pid();
        long start = LiveProcess.stat(self).orElseThrow().startTime();

        assertThat(new LiveProcess(self, start).alive()).isTrue();
        assertThat(new LiveProcess(self, start + 1).alive()).isFalse();
    }

    private static List<String> uuids(GpuProfile profile, String node) {
        return profile.gpus(new NodeName(node), true).stream().map(Gpu::uuid).toList();
    }

    @Test
    void what_is_set_aside_for_the_system_is_not_the_nodes() throws IOException {
        Host host = new Host("lab", IndexSet.parse("0-7"), 1, 8, 1, 14_000, "Linux", "amd64");

        Host left = host.without(SystemFiles.HERE, Optional.of("0-1"), OptionalLong.of(1));

        LocalNode node = LocalNode.declared(left, "lab", GpuProfile.named("dgx-a100"), NOTHING);
        assertThat(node.inventory().cpus()).isEqualTo(6);
        assertThat(node.onHost(IndexSet.firstN(2))).isEqualTo(IndexSet.parse("2-3"));
        assertThat(left.memoryMib()).isGreaterThan(Host.read(SystemFiles.HERE).memoryMib());
        assertThat(host.without(SystemFiles.HERE, Optional.empty(), OptionalLong.empty()))
                .isEqualTo(host);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "0-7  | 1         | leave 0 CPUs and",
                "0    | 999999999 | leave 7 CPUs and -",
                "many | 1         | reserved-cpus is 'many', which is no list such as"
            })
    void setting_aside_too_much_or_nonsense_is_refused(String cpus, long mib, String message) {
        var host = new Host("lab", IndexSet.parse("0-7"), 1, 8, 1, 14_000, "Linux", "amd64");

        assertThatThrownBy(() ->
                        host.without(SystemFiles.HERE, Optional.of(cpus), OptionalLong.of(mib)))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining(message);
    }

    @Test
    void huge_pages_and_imex_channels_are_told_where_there_are_some(@TempDir Path root)
            throws IOException {
        Path huge = root.resolve("sys/kernel/mm/hugepages");
        for (String size : List.of("2048kB 12", "1048576kB 0")) {
            String[] words = size.split(" ");
            Path folder = Files.createDirectories(huge.resolve("hugepages-" + words[0]));
            Files.writeString(folder.resolve("nr_hugepages"), words[1] + "\n");
        }
        Path channels = Files.createDirectories(root.resolve("dev/nvidia-caps-imex-channels"));
        for (String name : List.of("channel0", "channel3", "channels", "other1")) {
            Files.createFile(channels.resolve(name));
        }

        Hardware hardware = HardwareFiles.read(new SystemFiles(root), HOST, FoundGpus.NONE);
        Hardware without = HardwareFiles.read(new SystemFiles(channels), HOST, FoundGpus.NONE);

        assertThat(hardware.hugePages()).containsExactly(new Hardware.HugePages(2048, 12));
        assertThat(hardware.imexChannels()).isEqualTo(IndexSet.parse("0,3"));
        assertThat(without.hugePages()).isEmpty();
        assertThat(without.imexChannels()).isNull();
    }
}
