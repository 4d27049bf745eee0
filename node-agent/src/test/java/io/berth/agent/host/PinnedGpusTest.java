package io.berth.agent.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.berth.agent.host.PinnedGpus.Pinned;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuHardware.MigInstance;
import io.berth.contracts.GpuHardware.Vendor;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.Hardware;
import io.berth.contracts.Hardware.GpuDriver;
import io.berth.contracts.Hardware.Health;
import io.berth.contracts.Hardware.OutOfService;
import io.berth.contracts.IndexSet;
import io.berth.contracts.MigGpu;
import io.berth.slurm.GresConf;
import io.berth.slurm.SlurmConf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// On a machine of two sockets, each of two cores with two threads, that numbers its CPUs by turns:
/// 0 and 4 are core 0, 2 and 6 core 1, 1 and 5 core 2, 3 and 7 core 3. Jobs may have all but CPU 0.
final class PinnedGpusTest {

    private static final Host HOST =
            new Host("lab", IndexSet.parse("1-7"), 2, 2, 2, 14_000, "Linux", "amd64");
    private static final GpuDriver DRIVER = new GpuDriver(Vendor.NVIDIA, "550", "12.4", null);

    @TempDir Path root;

    @BeforeEach
    void machine() throws IOException {
        for (int cpu = 0; cpu < 8; cpu++) {
            String topology = "sys/devices/system/cpu/cpu" + cpu + "/topology/";
            file(topology + "physical_package_id", Integer.toString(cpu % 2));
            file(topology + "core_id", Integer.toString(cpu % 4 / 2));
        }
        file("sys/devices/system/node/node0/cpulist", "0,2,4,6");
        file("sys/devices/system/node/node1/cpulist", "1,3,5,7");
    }

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.writeString(file, text);
    }

    private static Gpu gpu(int index, int minor, @Nullable MigInstance mig) {
        String name = mig == null ? "Tesla V100-SXM2-32GB" : "Tesla V100-SXM2-32GB MIG 1g.5gb";
        return new Gpu(
                index,
                (mig == null ? "GPU-" : "MIG-") + index,
                mig == null ? "v100" : "v100_1g.5gb",
                name,
                minor,
                32_768,
                0,
                new GpuHardware(
                        Vendor.NVIDIA,
                        "0000:0" + index + ":00.0",
                        null,
                        "7.0",
                        IndexSet.parse("1"),
                        300,
                        true,
                        Map.of(),
                        null,
                        mig,
                        null));
    }

    private static FoundGpus found(List<Gpu> gpus, OutOfService... lost) {
        return found("NV2", gpus, lost);
    }

    private static FoundGpus found(String link, List<Gpu> gpus, OutOfService... lost) {
        GpuLinks links = FoundGpus.matrix(gpus.size(), (_, _) -> link);
        return new FoundGpus(gpus, links, List.of(DRIVER), List.of(lost), List.of());
    }

    /// Four of which the minors run against the indices.
    private static FoundGpus four() {
        return four("NV2");
    }

    private static FoundGpus four(String link) {
        return found(link, IntStream.range(0, 4).mapToObj(it -> gpu(it, 3 - it, null)).toList());
    }

    private Pinned pinned(FoundGpus told, String... lines) {
        return PinnedGpus.of(
                told,
                GresConf.of(SlurmConf.parse("gres.conf", String.join("\n", lines)), "n1"),
                new SystemFiles(root),
                HOST);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Name=nic | 0:v100 1:v100 2:v100 3:v100",
                "AutoDetect=nvml | 0:v100 1:v100 2:v100 3:v100",
                "AutoDetect=off | ''",
                "Name=gpu | 0:v100 1:v100 2:v100 3:v100",
                "Name=gpu Type=volta File=/dev/nvidia[0-3] | 0:volta 1:volta 2:volta 3:volta",
                "Name=gpu File=/dev/nvidia[0-1] | 2:v100 3:v100",
                "Name=gpu Type=big File=/dev/nvidia3; Name=gpu Type=v100 | 0:big 1:v100 2:v100 3:v100",
                "Name=gpu Count=2 Type=tesla_v100 | 0:tesla_v100 1:tesla_v100",
                "Name=gpu Count=1; Name=gpu Type=sxm2 File=/dev/nvidia3 | 0:sxm2 1:v100",
                "AutoDetect=off; Name=gpu File=/dev/nvidia2 | 1:v100"
            })
    void lines_name_gpus_and_leave_the_others_out(String lines, String gpus) {
        Pinned pinned = pinned(four(), lines.split("; "));

        assertThat(pinned.contradictions()).isEmpty();
        assertThat(
                        String.join(
                                " ",
                                pinned.gpus().gpus().stream()
                                        .map(it -> it.index() + ":" + it.type())
                                        .toList()))
                .isEqualTo(gpus);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Name=gpu File=/dev/nvidia[2-5] | there is no GPU /dev/nvidia4, /dev/nvidia5: found are [/dev/nvidia3, /dev/nvidia2, /dev/nvidia1, /dev/nvidia0]",
                "Name=gpu Count=5 | 4 such GPUs are left of those found",
                "Name=gpu Type=a100 | 0 such GPUs are left of those found",
                "Name=gpu Type=v100 Count=8 | 4 such GPUs are left of those found",
                "Name=gpu Cores=2-4 | Cores=2-4: this machine has 4, from 0",
                "Name=gpu File=/dev/nvidia3 Links=-1,4 | Links are 1 numbers here, the one in place 0, from 0, -1"
            })
    void what_is_at_odds_with_the_machine_is_told(String line, String why) {
        assertThat(pinned(four(), line).contradictions())
                .isNotEmpty()
                .containsOnly("gres.conf:1: " + line + ": " + why);
    }

    @Test
    void cores_are_counted_by_sockets_and_bring_their_numa_node() {
        List<Gpu> gpus =
                pinned(
                                four(),
                                "Name=gpu File=/dev/nvidia3 Cores=0-1",
                                "Name=gpu File=/dev/nvidia2 Cores=2-3",
                                "Name=gpu File=/dev/nvidia1 Cores=0,3",
                                "Name=gpu File=/dev/nvidia0")
                        .gpus()
                        .gpus();

        // CPU 4 of the machine is the node's 3, and so on: its 0 is the machine's 1.
        assertThat(gpus)
                .extracting(it -> Objects.requireNonNull(it.hardware()).cpus(), Gpu::numaNode)
                .containsExactly(
                        tuple(IndexSet.parse("1,3,5"), 0),
                        tuple(IndexSet.parse("0,2,4,6"), 1),
                        tuple(IndexSet.parse("2-3,6"), -1),
                        tuple(IndexSet.parse("1"), 0));
    }

    @ParameterizedTest
    @CsvSource({"NV2,?", "XGMI,?", "SYS,SYS"})
    void links_are_those_that_lines_count_among_the_gpus_that_are_given_out(
            String told, String uncounted) {
        Pinned pinned =
                pinned(
                        four(told),
                        "Name=gpu File=/dev/nvidia3 Links=-1,4,0",
                        "Name=gpu File=/dev/nvidia[1-2]");

        assertThat(Objects.requireNonNull(pinned.gpus().links()).rows())
                .containsExactly(
                        "X NV4 " + uncounted, "NV4 X " + told, uncounted + " " + told + " X");
        assertThat(pinned.contradictions()).isEmpty();
    }

    @Test
    void links_of_which_two_lines_count_different_numbers_are_told() {
        assertThat(
                        pinned(
                                        four(),
                                        "Name=gpu File=/dev/nvidia3 Links=-1,4",
                                        "Name=gpu File=/dev/nvidia2 Links=2,-1")
                                .contradictions())
                .containsExactly(
                        "gres.conf:2: Name=gpu File=/dev/nvidia2 Links=2,-1: the line of /dev/nvidia3 counts other links");
    }

    @Test
    void a_gpu_that_does_not_work_may_be_the_one_that_is_missed() {
        var lost = new OutOfService(3, null, "0000:03:00.0", Health.LOST, "the GPU is lost");
        List<Gpu> three = four().gpus().subList(0, 3);

        Pinned one =
                pinned(
                        found(three, lost),
                        "Name=gpu Type=big File=/dev/nvidia[0-2]",
                        "Name=gpu File=/dev/nvidia3 Links=-1,4,4,4");

        assertThat(one.contradictions()).isEmpty();
        assertThat(one.gpus().gpus()).extracting(Gpu::type).containsExactly("v100", "big", "big");
        assertThat(one.gpus().outOfService()).containsExactly(lost);
        assertThat(pinned(found(three, lost), "Name=gpu File=/dev/nvidia[0-4]").contradictions())
                .hasSize(1);
    }

    @Test
    void a_driver_that_does_not_work_says_so_itself() {
        var broken = new GpuDriver(Vendor.NVIDIA, "550", null, "the driver is not loaded");
        var none = new FoundGpus(List.of(), null, List.of(broken), List.of(), List.of());

        assertThat(pinned(none, "Name=gpu File=/dev/nvidia[0-7]").contradictions()).isEmpty();
        assertThat(pinned(FoundGpus.NONE, "Name=gpu File=/dev/nvidia0").contradictions())
                .containsExactly(
                        "gres.conf:1: Name=gpu File=/dev/nvidia0: there is no GPU /dev/nvidia0: found are none");
    }

    @Test
    void of_a_split_gpu_the_type_of_the_whole_is_pinned_and_all_goes_with_it() {
        var instance = new MigInstance("GPU-x", 1, 0, IndexSet.EMPTY);
        var split = new MigGpu(1, "GPU-x", "v100", List.of(), List.of(), null);
        var told =
                new FoundGpus(
                        List.of(gpu(0, 1, null), gpu(1, 0, instance), gpu(2, 0, instance)),
                        null,
                        List.of(DRIVER),
                        List.of(),
                        List.of(split));

        FoundGpus renamed = pinned(told, "Name=gpu Type=volta File=/dev/nvidia[0-1]").gpus();

        assertThat(renamed.gpus())
                .extracting(Gpu::type)
                .containsExactly("volta", "volta_1g.5gb", "volta_1g.5gb");
        assertThat(renamed.migGpus()).extracting(MigGpu::type).containsExactly("volta");
        FoundGpus without = pinned(told, "Name=gpu File=/dev/nvidia1").gpus();
        assertThat(without.gpus()).extracting(Gpu::index).containsExactly(0);
        assertThat(without.migGpus()).isEmpty();
    }

    @Test
    void an_instance_is_what_several_files_say_and_its_gpu_is_not_divided_anew() {
        var first = new MigInstance("GPU-x", 1, 0, IndexSet.parse("21-22"));
        var second = new MigInstance("GPU-x", 2, 0, IndexSet.parse("30-31"));
        var split = new MigGpu(1, "GPU-x", "v100", List.of(), List.of(), null);
        var told =
                new FoundGpus(
                        List.of(gpu(0, 1, null), gpu(1, 0, first), gpu(2, 0, second)),
                        null,
                        List.of(DRIVER),
                        List.of(),
                        List.of(split));
        String files = "Name=gpu Type=%s MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap%s";

        Pinned pinned = pinned(told, files.formatted("slice", "30"), "Name=gpu File=/dev/nvidia1");

        assertThat(pinned.contradictions()).isEmpty();
        assertThat(pinned.gpus().gpus())
                .extracting(Gpu::index, Gpu::type)
                .containsExactly(tuple(0, "v100"), tuple(2, "slice"));
        assertThat(pinned.gpus().migGpus()).isEmpty();
        assertThat(pinned(told, files.formatted("slice", "40")).contradictions())
                .containsExactly(
                        "gres.conf:1: %s: there is no instance with these capabilities"
                                .formatted(files.formatted("slice", "40")));
    }

    private static Gpu amd(int index) {
        Gpu like = gpu(index, -1, null);
        GpuHardware hardware = Objects.requireNonNull(like.hardware());
        return new Gpu(
                index,
                "GPU-" + index,
                "mi300x",
                like.name(),
                -1,
                like.memoryMib(),
                0,
                Drivers.amd(hardware.busId(), 128 + index));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Name=nic | {CUDA_VISIBLE_DEVICES=GPU-0, NVIDIA_VISIBLE_DEVICES=GPU-0, ROCR_VISIBLE_DEVICES=GPU-1}",
                "Name=gpu Flags=no_gpu_env | {}",
                "Name=gpu File=/dev/nvidia1; Name=gpu Type=amd MultipleFiles=/dev/dri/renderD129,/dev/dri/card1 Flags=no_gpu_env | {CUDA_VISIBLE_DEVICES=GPU-0, NVIDIA_VISIBLE_DEVICES=GPU-0}",
                "Name=gpu Type=mi300x Flags=amd_gpu_env,nvidia_gpu_env; Name=gpu | {CUDA_VISIBLE_DEVICES=GPU-0,GPU-1, NVIDIA_VISIBLE_DEVICES=GPU-0,GPU-1, ROCR_VISIBLE_DEVICES=GPU-1}"
            })
    void a_gpu_is_told_by_its_vendors_variables_or_as_its_line_says(String lines, String told) {
        GresConf conf =
                GresConf.of(
                        SlurmConf.parse("gres.conf", String.join("\n", lines.split("; "))), "n1");
        FoundGpus found =
                PinnedGpus.of(
                                found(List.of(gpu(0, 1, null), amd(1))),
                                conf,
                                new SystemFiles(root),
                                HOST)
                        .gpus();
        LocalNode node =
                LocalNode.host(
                                HOST,
                                "n1",
                                found,
                                new Hardware(List.of(), List.of(), 0, List.of(), List.of()))
                        .saying(conf);

        assertThat(node.variables(List.of("GPU-0", "GPU-1"))).hasToString(told);
        assertThat(node.variables(List.of())).allSatisfy((_, value) -> assertThat(value).isEmpty());
        assertThat(node.besides(found.gpus().getLast()))
                .isEqualTo(lines.contains("card1") ? List.of("/dev/dri/card1") : List.of());
    }
}
