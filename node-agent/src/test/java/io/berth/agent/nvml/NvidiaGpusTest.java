package io.berth.agent.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.host.AmdGpus;
import io.berth.agent.host.FoundGpus;
import io.berth.agent.host.FoundGpus.Aside;
import io.berth.agent.host.GpuProfile;
import io.berth.agent.host.GpuTypes;
import io.berth.agent.host.Host;
import io.berth.agent.host.SystemFiles;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuHardware.Fabric;
import io.berth.contracts.GpuHardware.MigInstance;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.Hardware.GpuDriver;
import io.berth.contracts.Hardware.Health;
import io.berth.contracts.Hardware.OutOfService;
import io.berth.contracts.IndexSet;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.MigProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What is found of NVIDIA's GPUs, through a real library with the driver's functions and layouts.
class NvidiaGpusTest {

    private static final Host HOST =
            new Host("lab", IndexSet.parse("1-3"), 1, 3, 1, 14_000, "Linux", "amd64");

    @TempDir Path folder;
    @TempDir Path root;
    SystemFiles files = SystemFiles.HERE;

    @BeforeEach
    void beInARoot() throws IOException {
        files = new SystemFiles(root);
        file("proc/driver/nvidia-caps/mig-minors", Topologies.migMinors());
    }

    private FoundGpus find(String topology) throws IOException {
        return NvidiaGpus.find(NvmlStub.in(folder, topology).library(), files, HOST, List.of());
    }

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.writeString(file, text);
    }

    private static GpuHardware hardware(Gpu gpu) {
        return Objects.requireNonNull(gpu.hardware());
    }

    private static GpuLinks links(FoundGpus found) {
        return Objects.requireNonNull(found.links());
    }

    @Test
    void a_gpu_is_known_by_its_minor_and_not_its_index() throws IOException {
        FoundGpus found = find(Topologies.dgxA100());

        assertThat(found.gpus()).extracting(Gpu::index).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(found.gpus()).extracting(Gpu::minor).containsExactly(7, 6, 5, 4, 3, 2, 1, 0);
        assertThat(found.gpus()).extracting(Gpu::uuid).startsWith("GPU-0", "GPU-1");
        assertThat(found.gpus()).extracting(Gpu::type).containsOnly("a100");
        assertThat(found.gpus()).extracting(Gpu::memoryMib).containsOnly(40_960L);
        assertThat(found.gpus()).extracting(Gpu::numaNode).startsWith(0).endsWith(1);
        assertThat(found.outOfService()).isEmpty();
        assertThat(found.drivers())
                .containsExactly(
                        new GpuDriver(GpuHardware.Vendor.NVIDIA, "550.54.15", "12.4", null));
    }

    @Test
    void a_gpu_tells_all_of_its_hardware() throws IOException {
        GpuHardware told = hardware(find(Topologies.dgxA100()).gpus().getLast());

        assertThat(told)
                .isEqualTo(
                        new GpuHardware(
                                GpuHardware.Vendor.NVIDIA,
                                "0000:07:00.0",
                                "157",
                                "8.0",
                                IndexSet.parse("1-2"),
                                400,
                                true,
                                IntStream.range(0xc0, 0xc6)
                                        .boxed()
                                        .collect(
                                                Collectors.toMap(
                                                        "0000:%02x:00.0"::formatted, _ -> 2)),
                                null,
                                null,
                                null));
    }

    @Test
    void the_cpus_near_to_a_gpu_may_be_beyond_the_first_64() throws IOException {
        Host large = new Host("lab", IndexSet.parse("0-127"), 2, 64, 1, 14_000, "Linux", "amd64");
        NvmlStub stub =
                NvmlStub.in(
                        folder,
                        Topologies.l40s() + "gpu 1 cpus=0,f0\ngpu 2 cpus=1,8000000000000000\n");

        FoundGpus found = NvidiaGpus.find(stub.library(), files, large, List.of());

        assertThat(found.gpus())
                .extracting(gpu -> String.valueOf(hardware(gpu).cpus()))
                .containsExactly("0-1", "68-71", "0,127", "2-3");
    }

    @Test
    void the_numa_node_is_the_kernels_or_where_it_tells_none_the_drivers() throws IOException {
        file("sys/bus/pci/devices/0000:00:00.0/numa_node", "3\n");
        file("sys/bus/pci/devices/0000:03:00.0/numa_node", "-1\n");

        FoundGpus found = find(Topologies.l40s() + "gpu 2 numa=-1\n");

        assertThat(found.gpus()).extracting(Gpu::numaNode).containsExactly(3, 0, -1, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fail nvmlDeviceGetNvLinkRemoteDeviceType 13\n"})
    void gpus_on_switches_reach_one_another_by_all_their_links(String driver) throws IOException {
        FoundGpus found = find(Topologies.hgxH100() + driver);

        assertThat(links(found).rows().getFirst())
                .isEqualTo("X NV18 NV18 NV18 NV18 NV18 NV18 NV18");
        assertThat(found.gpus())
                .allSatisfy(gpu -> {
                    assertThat(hardware(gpu).switchLinks())
                            .isEqualTo(
                                    Map.of(
                                            "0000:a0:00.0", 5,
                                            "0000:a1:00.0", 5,
                                            "0000:a2:00.0", 4,
                                            "0000:a3:00.0", 4));
                    assertThat(hardware(gpu).fabric()).as("of several machines").isNull();
                });
    }

    @Test
    void a_link_is_what_the_driver_says_that_it_is() throws IOException {
        FoundGpus found =
                find(
                        Topologies.l40s()
                                + "link 0 0 00000000:01:00.0\n"
                                + "link 0 1 00000000:aa:00.0 2\n"
                                + "link 0 2 00000000:ab:00.0 1\n"
                                + "link 0 3 00000000:ac:00.0 0\n"
                                + "link 0 4 - 2\n"
                                + "link 0 5 - 1\n"
                                + "link 0 6 00000000:ad:00.0 255\n");

        assertThat(hardware(found.gpus().getFirst()).switchLinks())
                .isEqualTo(Map.of("0000:aa:00.0", 1, "0000:ad:00.0", 1, "?", 1));
        assertThat(links(found).rows().getFirst()).isEqualTo("X NV1 PHB SYS");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fail nvmlDeviceGetNvLinkRemoteDeviceType 13\n"})
    void a_link_to_a_gpu_that_is_lost_is_not_a_switchs(String driver) throws IOException {
        file("sys/bus/pci/devices/0000:03:00.0/class", "0x030200\n");

        FoundGpus found =
                find(Topologies.dgx1() + "fail nvmlDeviceGetHandleByIndex_v2 15 3\n" + driver);

        assertThat(found.gpus())
                .hasSize(7)
                .allSatisfy(gpu -> assertThat(hardware(gpu).switchLinks()).isEmpty());
        assertThat(links(found))
                .isEqualTo(
                        Objects.requireNonNull(GpuProfile.named("dgx-v100").links())
                                .among(List.of(0, 1, 2, 4, 5, 6, 7)));
    }

    @Test
    void gpus_without_nvlink_reach_one_another_over_pci() throws IOException {
        assertThat(links(find(Topologies.l40s())).rows())
                .containsExactly(
                        "X PIX PHB SYS", "PIX X NODE SYS", "PHB NODE X PXB", "SYS SYS PXB X");
    }

    @Test
    void in_a_cube_mesh_some_neighbours_have_two_links_and_some_pairs_none() throws IOException {
        GpuLinks links = links(find(Topologies.dgx1()));

        assertThat(links.rows().getFirst()).isEqualTo("X NV1 NV1 NV2 NV2 SYS SYS SYS");
        assertThat(links).isEqualTo(GpuProfile.named("dgx-v100").links());
    }

    @Test
    void a_split_gpu_is_its_instances_each_with_what_opens_it() throws IOException {
        FoundGpus found = find(Topologies.splitA100());

        assertThat(found.gpus()).extracting(Gpu::index).containsExactly(0, 1, 2, 3);
        assertThat(found.gpus())
                .extracting(Gpu::type)
                .containsExactly("a100", "a100_3g.20gb", "a100_1g.5gb", "a100_1g.5gb");
        assertThat(found.gpus())
                .extracting(Gpu::uuid)
                .containsExactly("GPU-0", "MIG-aaaa", "MIG-bbbb", "MIG-cccc");
        assertThat(found.gpus()).extracting(Gpu::minor).containsExactly(1, 0, 0, 0);
        assertThat(found.gpus().get(2).memoryMib()).isEqualTo(4864);
        assertThat(hardware(found.gpus().get(3)).mig())
                .isEqualTo(new MigInstance("GPU-1", 10, 0, IndexSet.parse("93-94")));
        assertThat(links(found).rows()).contains("SYS X PIX PIX");
    }

    @Test
    void a_gpu_in_mig_mode_tells_how_it_is_split_and_how_it_may_be() throws IOException {
        MigGpu gpu = find(Topologies.splitA100()).migGpus().getFirst();

        assertThat(gpu.index()).isEqualTo(1);
        assertThat(gpu.uuid()).isEqualTo("GPU-1");
        assertThat(gpu.type()).isEqualTo("a100");
        assertThat(gpu.instances())
                .containsExactly(
                        new MigPlacement("1g.5gb", 0, 1),
                        new MigPlacement("1g.5gb", 2, 1),
                        new MigPlacement("3g.20gb", 4, 4));
        assertThat(gpu.profiles())
                .contains(
                        new MigProfile("1g.5gb", 4864, 1, List.of(0, 1, 2, 3, 4, 5, 6), 7),
                        new MigProfile("3g.20gb", 19_968, 4, List.of(0, 4), 2),
                        new MigProfile("1g.10gb", 9856, 2, List.of(0, 2, 4, 6), 4))
                .hasSize(7);
        assertThat(gpu.failure()).isNull();
    }

    @Test
    void what_a_gpu_is_split_into_does_not_change_the_indices_of_others() throws IOException {
        FoundGpus found = find(Topologies.splitA100() + "gpu 0 mig=1\n");

        assertThat(found.gpus()).extracting(Gpu::index).containsExactly(7, 8, 9);
        assertThat(found.migGpus()).extracting(MigGpu::index).containsExactly(0, 1);
        assertThat(found.migGpus().getFirst().instances()).isEmpty();
    }

    @Test
    void a_split_gpu_that_is_lost_does_not_change_the_indices_of_others() throws IOException {
        String whole = Topologies.splitA100() + "gpu 0 mig=1\ngpu 1 mig=0\n";
        NvmlStub stub =
                NvmlStub.in(folder, whole + "fail nvmlDeviceGetCudaComputeCapability 15 0\n");

        FoundGpus found = NvidiaGpus.find(stub.library(), files, HOST, List.of());
        stub.tell(whole + "fail nvmlDeviceGetHandleByIndex_v2 15 0\n");
        FoundGpus again = NvidiaGpus.find(stub.library(), files, HOST, found.taken());

        assertThat(found.outOfService()).extracting(OutOfService::index).containsExactly(0);
        assertThat(found.gpus()).extracting(Gpu::index).containsExactly(7);
        assertThat(again.outOfService()).extracting(OutOfService::index).containsExactly(0);
        assertThat(again.gpus()).extracting(Gpu::index).containsExactly(7);
    }

    @Test
    void the_indices_of_another_vendors_gpus_go_on_after_all_of_these() throws IOException {
        for (int node : List.of(1, 2)) {
            file(
                    "sys/class/kfd/kfd/topology/nodes/%d/properties".formatted(node),
                    "simd_count 304\nunique_id %d\nlocation_id %d\n%s"
                            .formatted(
                                    node,
                                    0x1800 + (node << 8),
                                    node == 1 ? "" : "drm_render_minor 128\n"));
        }

        FoundGpus found =
                find(Topologies.splitA100() + "gpu 0 mig=1\n").and(AmdGpus.find(files, HOST));

        assertThat(found.gpus()).extracting(Gpu::index).containsExactly(7, 8, 9, 15);
        assertThat(found.outOfService()).extracting(OutOfService::index).containsExactly(14);
    }

    @Test
    void a_gpu_in_mig_mode_that_stands_aside_is_not_divided() throws IOException {
        FoundGpus found =
                find(Topologies.splitA100())
                        .without(Map.of("GPU-1", new Aside(Health.DRAINED, "XID 79")));

        assertThat(found.migGpus()).isEmpty();
        assertThat(found.gpus()).extracting(Gpu::uuid).containsExactly("GPU-0");
    }

    @Test
    void a_driver_that_does_not_tell_the_profiles_has_instances_all_the_same() throws IOException {
        FoundGpus found =
                find(Topologies.splitA100() + "fail nvmlDeviceGetGpuInstanceProfileInfoV 13\n");

        assertThat(found.migGpus()).isEmpty();
        assertThat(found.gpus()).hasSize(4);
    }

    @Test
    void who_may_not_ask_how_a_gpu_is_split_has_its_instances_all_the_same() throws IOException {
        FoundGpus found = find(Topologies.splitA100() + "fail nvmlDeviceGetGpuInstances 4\n");

        assertThat(found.migGpus()).isEmpty();
        assertThat(found.gpus()).hasSize(4);
        assertThat(found.outOfService()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"10/access", "10/ci0/access"})
    void an_instance_of_which_nobody_knows_what_opens_it_is_out_of_service(String missing)
            throws IOException {
        file(
                "proc/driver/nvidia-caps/mig-minors",
                Topologies.migMinors().replace("gpu0/gi" + missing, "other"));

        FoundGpus found = find(Topologies.splitA100());

        assertThat(found.gpus())
                .extracting(Gpu::uuid)
                .containsExactly("GPU-0", "MIG-aaaa", "MIG-bbbb");
        assertThat(found.outOfService())
                .containsExactly(
                        new OutOfService(
                                3,
                                "MIG-cccc",
                                "0000:01:00.0",
                                Health.DRAINED,
                                "/proc/driver/nvidia-caps/mig-minors does not tell what opens instance 10/0 of GPU 0"));
        assertThat(found.migGpus()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "nvmlDeviceGetGpuInstances 4, nvmlDeviceGetGpuInstances: no permission",
        "nvmlDeviceGetGpuInstanceProfileInfoV 13, no profiles"
    })
    void a_gpu_that_is_split_into_nothing_and_tells_no_profiles_is_out_of_service(
            String fails, String why) throws IOException {
        FoundGpus found = find(Topologies.splitA100() + "gpu 0 mig=1\nfail " + fails + " 0\n");

        assertThat(found.gpus()).extracting(Gpu::index).containsExactly(7, 8, 9);
        assertThat(found.migGpus()).extracting(MigGpu::uuid).containsExactly("GPU-1");
        assertThat(found.outOfService())
                .containsExactly(
                        new OutOfService(
                                0,
                                "GPU-0",
                                "0000:00:00.0",
                                Health.DRAINED,
                                "it is in MIG mode and split into nothing, and how it may be split is not told: "
                                        + why));
    }

    @Test
    void a_gpu_that_is_lost_while_it_tells_how_it_is_split_is_out_of_service() throws IOException {
        FoundGpus found = find(Topologies.splitA100() + "fail nvmlDeviceGetGpuInstances 15\n");

        assertThat(found.migGpus()).isEmpty();
        assertThat(found.gpus()).extracting(Gpu::uuid).containsExactly("GPU-0");
        assertThat(found.outOfService()).hasSize(1);
    }

    @Test
    void a_tray_of_a_rack_tells_its_fabric() throws IOException {
        FoundGpus found = find(Topologies.nvl72Tray());

        assertThat(found.gpus())
                .allSatisfy(gpu ->
                        assertThat(hardware(gpu).fabric())
                                .isEqualTo(new Fabric("8d2c1b7e-0123-4567-890a-bcdefedcba98", 3)));
        assertThat(links(found).nvlinks(0, 3)).isEqualTo(18);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void a_gpu_whose_fabric_is_not_complete_is_out_of_service_until_it_is(int state)
            throws IOException {
        NvmlStub stub =
                NvmlStub.in(
                        folder, Topologies.nvl72Tray() + "gpu 2 fabricstate=%d\n".formatted(state));

        FoundGpus found = NvidiaGpus.find(stub.library(), files, HOST, List.of());
        stub.tell(Topologies.nvl72Tray());
        FoundGpus complete = NvidiaGpus.find(stub.library(), files, HOST, List.of());

        assertThat(found.gpus()).extracting(Gpu::index).containsExactly(0, 1, 3);
        assertThat(found.outOfService())
                .containsExactly(
                        new OutOfService(
                                2,
                                "GPU-2",
                                "0000:02:00.0",
                                Health.DRAINED,
                                "its NVLink fabric is not complete: the fabric manager has yet to join it"));
        assertThat(complete.gpus())
                .hasSize(4)
                .allSatisfy(gpu -> assertThat(hardware(gpu).fabric()).isNotNull());
    }

    @ParameterizedTest
    @CsvSource({"15,LOST", "10,LOST", "999,LOST", "4,DRAINED", "3,DRAINED"})
    void only_a_gpu_that_does_not_answer_is_lost(int code, Health health) throws IOException {
        FoundGpus found =
                find(Topologies.l40s() + "fail nvmlDeviceGetPciInfo_v3 %d 1\n".formatted(code));

        assertThat(found.outOfService()).extracting(OutOfService::health).containsExactly(health);
    }

    @Test
    void a_gpu_that_fell_off_the_bus_is_out_of_service_and_the_others_work() throws IOException {
        FoundGpus found = find(Topologies.dgxA100() + "fail nvmlDeviceGetMemoryInfo 15 3\n");

        assertThat(found.gpus()).extracting(Gpu::index).containsExactly(0, 1, 2, 4, 5, 6, 7);
        assertThat(links(found).rows()).hasSize(7);
        assertThat(found.outOfService())
                .singleElement()
                .satisfies(gpu -> {
                    assertThat(gpu.index()).isEqualTo(3);
                    assertThat(gpu.uuid()).isEqualTo("GPU-3");
                    assertThat(gpu.busId()).isEqualTo("0000:03:00.0");
                    assertThat(gpu.health()).isEqualTo(Health.LOST);
                    assertThat(gpu.reason())
                            .isEqualTo(
                                    "nvmlDeviceGetMemoryInfo: the GPU is lost: it fell off the bus or does not answer");
                });
    }

    @Test
    void a_gpu_that_gives_no_handle_is_out_of_service_by_its_index() throws IOException {
        FoundGpus found = find(Topologies.l40s() + "fail nvmlDeviceGetHandleByIndex_v2 15 0\n");

        assertThat(found.gpus()).extracting(Gpu::index).containsExactly(1, 2, 3);
        assertThat(found.outOfService())
                .singleElement()
                .satisfies(gpu -> assertThat(gpu.uuid()).isNull());
    }

    @Test
    void an_old_driver_tells_less_and_its_minors_stand_under_proc() throws IOException {
        for (int gpu = 0; gpu < 4; gpu++) {
            file(
                    "proc/driver/nvidia/gpus/0000:0%d:00.0/information".formatted(gpu),
                    "Model: \t\t NVIDIA L40S\nDevice Minor: \t %d\n".formatted(9 - gpu));
        }
        NvmlStub stub = NvmlStub.old(folder, Topologies.l40s());

        FoundGpus found = NvidiaGpus.find(stub.library(), files, HOST, List.of());

        assertThat(found.gpus()).extracting(Gpu::minor).containsExactly(9, 8, 7, 6);
        assertThat(hardware(found.gpus().getFirst()).fabric()).isNull();
    }

    @Test
    void a_gpu_whose_device_file_is_unknown_could_not_be_isolated_and_is_out_of_service()
            throws IOException {
        NvmlStub stub = NvmlStub.old(folder, Topologies.l40s());

        FoundGpus found = NvidiaGpus.find(stub.library(), files, HOST, List.of());

        assertThat(found.gpus()).isEmpty();
        assertThat(found.outOfService())
                .hasSize(4)
                .allMatch(gpu -> gpu.reason().startsWith("nvmlDeviceGetMinorNumber"))
                .allMatch(gpu -> gpu.health() == Health.DRAINED);
    }

    @Test
    void a_library_without_its_driver_is_a_driver_with_a_problem() throws IOException {
        file("sys/module/nvidia/version", "550.54.15\n");

        FoundGpus found = find("");

        assertThat(found.gpus()).isEmpty();
        assertThat(found.drivers())
                .containsExactly(
                        new GpuDriver(
                                GpuHardware.Vendor.NVIDIA,
                                "550.54.15",
                                null,
                                "nvmlInit_v2: the driver is not loaded"));
    }

    @Test
    void a_driver_that_hangs_is_a_driver_with_a_problem() throws Exception {
        file("sys/module/nvidia/version", "550.54.15\n");
        NvmlStub stub = NvmlStub.in(folder, Topologies.l40s() + "hang nvmlDeviceGetMemoryInfo 3\n");

        FoundGpus found = NvidiaGpus.within(Duration.ofMillis(10), stub.library(), files, HOST);
        stub.tell(Topologies.l40s());

        assertThat(found.gpus()).isEmpty();
        assertThat(found.drivers())
                .containsExactly(
                        new GpuDriver(
                                GpuHardware.Vendor.NVIDIA,
                                "550.54.15",
                                null,
                                "it has not answered for 10 ms, as one does whose GPU hangs"));
        assertThat(NvidiaGpus.within(Duration.ofMinutes(1), stub.library(), files, HOST).gpus())
                .hasSize(4);
    }

    @Test
    void gpus_on_the_bus_without_a_library_are_a_problem_too() throws IOException {
        file("sys/bus/pci/devices/0000:3b:00.0/vendor", "0x10de\n");
        file("sys/bus/pci/devices/0000:3b:00.0/class", "0x030200\n");
        file("sys/bus/pci/devices/0000:3b:00.1/vendor", "0x10de\n");
        file("sys/bus/pci/devices/0000:3b:00.1/class", "0x040300\n");

        FoundGpus found = NvidiaGpus.find(folder + "/libnone.so.1", files, HOST, List.of());

        assertThat(found.drivers())
                .extracting(GpuDriver::problem)
                .singleElement()
                .asString()
                .startsWith("1 on the PCI bus, but no ")
                .endsWith(": install the driver");
        assertThat(found.taken()).as("indices").containsExactly(1);
    }

    @Test
    void a_machine_without_either_has_no_gpus_and_no_problem() {
        assertThat(NvidiaGpus.find(folder + "/libnone.so.1", files, HOST, List.of()))
                .isEqualTo(FoundGpus.NONE);
    }

    @Test
    void gpus_put_aside_leave_gaps_in_the_indices_and_none_in_the_links() throws IOException {
        FoundGpus found = find(Topologies.l40s());

        FoundGpus rest = found.without(Map.of("GPU-1", new Aside(Health.DRAINED, "XID 79")));

        assertThat(rest.gpus()).extracting(Gpu::index).containsExactly(0, 2, 3);
        assertThat(links(rest).rows()).containsExactly("X PHB SYS", "PHB X PXB", "SYS PXB X");
        assertThat(rest.outOfService())
                .singleElement()
                .satisfies(gpu -> assertThat(gpu.reason()).isEqualTo("XID 79"));
    }

    @Test
    void all_instances_go_with_their_gpu() throws IOException {
        FoundGpus found = find(Topologies.splitA100());

        FoundGpus rest = found.without(Map.of("GPU-1", new Aside(Health.DRAINED, "XID 79")));

        assertThat(rest.gpus()).extracting(Gpu::uuid).isEqualTo(List.of("GPU-0"));
        assertThat(rest.outOfService()).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "NVIDIA A100-SXM4-80GB,a100",
        "NVIDIA H100 80GB HBM3,h100",
        "NVIDIA H200,h200",
        "Tesla V100-SXM2-32GB,v100",
        "NVIDIA L40S,l40s",
        "NVIDIA GB200,gb200",
        "NVIDIA GeForce RTX 4090,rtx_4090",
        "NVIDIA RTX A6000,rtx_a6000",
        "NVIDIA TITAN V,titan_v",
        "AMD Instinct MI300X OAM,mi300x",
        "NVIDIA Graphics Device,device",
        "NVIDIA,gpu"
    })
    void a_product_has_a_short_type(String product, String type) {
        assertThat(GpuTypes.of(product)).isEqualTo(type);
    }
}
