package io.berth.agent.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.Hardware.GpuDriver;
import io.berth.contracts.Hardware.Health;
import io.berth.contracts.Hardware.OutOfService;
import io.berth.contracts.IndexSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AmdGpusTest {

    private static final Host HOST =
            new Host("lab", IndexSet.parse("0-3"), 1, 4, 1, 14_000, "Linux", "amd64");

    @TempDir Path root;

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.writeString(file, text);
    }

    @Test
    void a_gpu_is_read_from_the_kernels_files_alone() throws IOException {
        String nodes = "sys/class/kfd/kfd/topology/nodes/";
        file(nodes + "0/properties", "cpu_cores_count 96\nsimd_count 0\n");
        file(
                nodes + "1/properties",
                "simd_count 1216\nunique_id 17223584411262011632\nlocation_id 6144\ndomain 0\n"
                        + "drm_render_minor 129\n");
        file(nodes + "1/mem_banks/0/properties", "heap_type 1\nsize_in_bytes 206141652992\n");
        file(nodes + "1/mem_banks/1/properties", "heap_type 4\nsize_in_bytes 4096\n");
        file("sys/bus/pci/devices/0000:18:00.0/product_name", "AMD Instinct MI300X OAM\n");
        file("sys/bus/pci/devices/0000:18:00.0/numa_node", "1\n");
        file("sys/bus/pci/devices/0000:18:00.0/local_cpulist", "2-3\n");
        file("sys/module/amdgpu/version", "6.7.0\n");

        FoundGpus found = AmdGpus.find(new SystemFiles(root), HOST);

        assertThat(found.gpus())
                .containsExactly(
                        new Gpu(
                                0,
                                "GPU-ef0676c4803a48f0",
                                "mi300x",
                                "AMD Instinct MI300X OAM",
                                -1,
                                196_592,
                                1,
                                new GpuHardware(
                                        GpuHardware.Vendor.AMD,
                                        "0000:18:00.0",
                                        null,
                                        null,
                                        IndexSet.parse("2-3"),
                                        null,
                                        null,
                                        Map.of(),
                                        null,
                                        null,
                                        129)));
        assertThat(found.drivers())
                .singleElement()
                .satisfies(driver -> assertThat(driver.version()).isEqualTo("6.7.0"));
    }

    /// Twelve nodes, of which the first two are CPUs; XGMI joins GPUs 0 and 1, 0 and 2 over 1, and
    /// 8 and 9; PCI the others.
    @Test
    void how_gpus_reach_one_another_is_told_by_the_links_of_their_nodes() throws IOException {
        String nodes = "sys/class/kfd/kfd/topology/nodes/";
        for (int node = 0; node < 12; node++) {
            int gpu = node - 2;
            String id =
                    "simd_count %d\nunique_id %d\nlocation_id %d\ndomain 0\ndrm_render_minor %d\n";
            file(
                    nodes + node + "/properties",
                    id.formatted(gpu < 0 ? 0 : 304, gpu + 1, node << 8, 128 + gpu));
            if (gpu < 9) {
                String pci = "sys/bus/pci/devices/0000:%02x:00.0/numa_node";
                file(pci.formatted(node), gpu < 4 ? "0\n" : "1\n");
            }
        }
        int number = 0;
        for (int[] link :
                new int[][] {
                    {2, 0, 2, 20},
                    {2, 3, 11, 15},
                    {3, 2, 11, 15},
                    {2, 4, 11, 30},
                    {4, 2, 11, 30},
                    {2, 5, 2, 40},
                    {10, 11, 11, 15},
                    {11, 10, 11, 15}
                }) {
            file(
                    nodes + link[0] + "/io_links/" + number++ + "/properties",
                    "type %d\nversion_major 0\nnode_from %d\nnode_to %d\nweight %d\n"
                            .formatted(link[2], link[0], link[1], link[3]));
        }

        FoundGpus found = AmdGpus.find(new SystemFiles(root), HOST);

        assertThat(found.gpus())
                .extracting(Gpu::uuid)
                .startsWith("GPU-0000000000000001")
                .endsWith("GPU-0000000000000009", "GPU-000000000000000a");
        assertThat(Objects.requireNonNull(found.links()).rows())
                .hasSize(10)
                .startsWith(
                        "X XGMI NODE NODE SYS SYS SYS SYS SYS ?",
                        "XGMI X NODE NODE SYS SYS SYS SYS SYS ?")
                .endsWith("SYS SYS SYS SYS NODE NODE NODE NODE X XGMI", "? ? ? ? ? ? ? ? XGMI X");
    }

    private void gpu(int node, long id, long location, String renderMinor) throws IOException {
        file(
                "sys/class/kfd/kfd/topology/nodes/%d/properties".formatted(node),
                "simd_count 304\nunique_id %d\nlocation_id %d\ndomain 0\n%s"
                        .formatted(id, location, renderMinor));
    }

    @Test
    void a_gpu_whose_device_file_is_unknown_could_not_be_isolated_and_is_out_of_service()
            throws IOException {
        gpu(1, 7, 0x1800, "drm_render_minor 128\n");
        gpu(2, 8, 0x1900, "");
        gpu(3, 9, 0x1a00, "drm_render_minor -1\n");
        gpu(4, 10, 0x1b00, "drm_render_minor 131\n");

        FoundGpus found = AmdGpus.find(new SystemFiles(root), HOST);

        assertThat(found.gpus()).extracting(Gpu::index).containsExactly(0, 3);
        assertThat(Objects.requireNonNull(found.links()).rows()).containsExactly("X ?", "? X");
        assertThat(found.outOfService())
                .containsExactly(
                        new OutOfService(
                                1,
                                "GPU-0000000000000008",
                                "0000:19:00.0",
                                Health.DRAINED,
                                "/sys/class/kfd/kfd/topology/nodes/2/properties tells no drm_render_minor"),
                        new OutOfService(
                                2,
                                "GPU-0000000000000009",
                                "0000:1a:00.0",
                                Health.DRAINED,
                                "/sys/class/kfd/kfd/topology/nodes/3/properties tells no drm_render_minor"));
    }

    @Test
    void a_gpu_without_an_id_of_its_own_is_called_by_its_address() throws IOException {
        gpu(1, 0, 0x0300, "drm_render_minor 128\n");
        gpu(2, 0, 0x0400, "drm_render_minor 129\n");
        gpu(3, 5, 0x1800, "drm_render_minor 130\n");
        gpu(4, 5, 0x1_000_1800, "drm_render_minor 131\n");
        gpu(5, 6, 0x1900, "drm_render_minor 132\n");

        FoundGpus found = AmdGpus.find(new SystemFiles(root), HOST);

        assertThat(found.gpus())
                .extracting(Gpu::uuid)
                .containsExactly(
                        "GPU-0000-03-00-0",
                        "GPU-0000-04-00-0",
                        "GPU-0000-18-00-0",
                        "GPU-0000-18-00-0-1",
                        "GPU-0000000000000006");
        assertThat(found.gpus().get(3).hardware())
                .extracting(GpuHardware::busId)
                .isEqualTo("0000:18:00.0");
    }

    @Test
    void gpus_on_the_bus_without_the_driver_are_a_problem() throws IOException {
        for (String device : List.of("0x1002 0x120000", "0x1002 0x030000", "0x1002 0x040300")) {
            String[] words = device.split(" ");
            String folder = "sys/bus/pci/devices/0000:" + words[1].substring(2, 4) + ":00.0/";
            file(folder + "vendor", words[0] + "\n");
            file(folder + "class", words[1] + "\n");
        }

        FoundGpus found = AmdGpus.find(new SystemFiles(root), HOST);

        assertThat(found.gpus()).isEmpty();
        assertThat(found.drivers())
                .containsExactly(
                        new GpuDriver(
                                GpuHardware.Vendor.AMD,
                                null,
                                null,
                                "2 on the PCI bus, but no /sys/class/kfd/kfd/topology/nodes: load the driver, amdgpu"));
        file("sys/class/kfd/kfd/topology/nodes/0/properties", "simd_count 0\n");
        assertThat(AmdGpus.find(new SystemFiles(root), HOST)).isEqualTo(FoundGpus.NONE);
    }

    @Test
    void a_machine_without_either_has_none() {
        assertThat(AmdGpus.find(new SystemFiles(root), HOST)).isEqualTo(FoundGpus.NONE);
    }
}
