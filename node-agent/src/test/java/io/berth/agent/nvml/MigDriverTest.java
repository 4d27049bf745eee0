package io.berth.agent.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.agent.host.Host;
import io.berth.agent.host.SystemFiles;
import io.berth.contracts.Gpu;
import io.berth.contracts.IndexSet;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigPlacement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// GPUs are divided through a real library with the driver's functions and layouts. GPU-1 is an
/// A100 that is split into a half and two sevenths.
class MigDriverTest {

    private static final Host HOST =
            new Host("lab", IndexSet.parse("1-3"), 1, 3, 1, 14_000, "Linux", "amd64");
    private static final MigPlacement FOUR = new MigPlacement("4g.20gb", 0, 4);
    private static final MigPlacement THREE = new MigPlacement("3g.20gb", 4, 4);

    @TempDir Path folder;
    NvmlStub driver;

    @BeforeEach
    void load() throws IOException {
        driver = NvmlStub.in(folder, Topologies.splitA100());
        Path minors = folder.resolve("proc/driver/nvidia-caps/mig-minors");
        Files.createDirectories(minors.getParent());
        Files.writeString(minors, Topologies.migMinors());
    }

    private void divide(MigPlacement... into) throws NvmlFailure {
        new MigDriver(driver.library()).divide("GPU-1", List.of(into));
    }

    private MigGpu gpu() {
        return NvidiaGpus.find(driver.library(), new SystemFiles(folder), HOST, List.of())
                .migGpus()
                .getFirst();
    }

    private List<String> types() {
        return NvidiaGpus.find(driver.library(), new SystemFiles(folder), HOST, List.of())
                .gpus()
                .stream()
                .map(Gpu::type)
                .toList();
    }

    @Test
    void a_gpu_is_split_where_it_was_asked_for_and_each_instance_can_compute() throws Exception {
        divide(THREE, FOUR);

        assertThat(gpu().instances()).containsExactly(FOUR, THREE);
        assertThat(types()).containsExactly("a100", "a100_3g.20gb", "a100_4g.20gb");
    }

    @Test
    void a_gpu_may_be_split_into_nothing() throws Exception {
        divide();

        assertThat(gpu().instances()).isEmpty();
        assertThat(types()).containsExactly("a100");
    }

    @Test
    void an_instance_that_is_in_use_is_not_destroyed() throws Exception {
        driver.add("mig 1 1 uuid=MIG-bbbb gi=9 ci=0 mem=4864 start=0 pids=77 name=A100 MIG 1g.5gb");

        assertThatThrownBy(() -> divide(FOUR, THREE))
                .isInstanceOf(NvmlFailure.class)
                .hasMessage("nvmlComputeInstanceDestroy: in use");

        assertThat(gpu().instances()).contains(new MigPlacement("1g.5gb", 0, 1));
    }

    @Test
    void what_fails_on_the_way_leaves_the_gpu_as_far_as_it_came() throws Exception {
        driver.add("fail nvmlGpuInstanceCreateComputeInstance 20");

        assertThatThrownBy(() -> divide(FOUR, THREE))
                .hasMessage("nvmlGpuInstanceCreateComputeInstance: not enough memory");

        assertThat(gpu().instances()).isEmpty();
        driver.add("fail nvmlGpuInstanceCreateComputeInstance 0");
        divide(FOUR, THREE);
        assertThat(gpu().instances()).containsExactly(FOUR, THREE);
    }

    @Test
    void instances_that_overlap_are_refused_by_the_driver() {
        assertThatThrownBy(() -> divide(FOUR, new MigPlacement("2g.10gb", 2, 2)))
                .hasMessage("nvmlDeviceCreateGpuInstanceWithPlacement: not enough room");
    }

    @Test
    void a_profile_and_a_gpu_that_are_not_there_are_named() {
        assertThatThrownBy(() -> divide(new MigPlacement("1g.99gb", 0, 1)))
                .hasMessage("no MIG profile 1g.99gb");
        assertThatThrownBy(() -> new MigDriver(driver.library()).divide("GPU-9", List.of(FOUR)))
                .hasMessage("no GPU GPU-9");
    }
}
