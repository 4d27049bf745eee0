package io.berth.agent.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.IndexSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
            String id = "simd_count %d\nunique_id %d\nlocation_id %d\ndomain 0\n";
            file(nodes + node + "/properties", id.formatted(gpu < 0 ? 0 : 304, gpu, node << 8));
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
                .startsWith("GPU-0000000000000000")
                .endsWith("GPU-0000000000000008", "GPU-0000000000000009");
        assertThat(Objects.requireNonNull(found.links()).rows())
                .hasSize(10)
                .startsWith(
                        "X XGMI NODE NODE SYS SYS SYS SYS SYS ?",
                        "XGMI X NODE NODE SYS SYS SYS SYS SYS ?")
                .endsWith("SYS SYS SYS SYS NODE NODE NODE NODE X XGMI", "? ? ? ? ? ? ? ? XGMI X");
    }

    @Test
    void a_machine_without_the_driver_has_none() {
        assertThat(AmdGpus.find(new SystemFiles(root), HOST)).isEqualTo(FoundGpus.NONE);
    }
}
