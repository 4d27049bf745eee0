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

    @Test
    void a_machine_without_the_driver_has_none() {
        assertThat(AmdGpus.find(new SystemFiles(root), HOST)).isEqualTo(FoundGpus.NONE);
    }
}
