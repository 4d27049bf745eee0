package io.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.berth.contracts.Gres;
import io.berth.contracts.IndexSet;
import io.berth.slurm.GresConf.GpuLine;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GresConfTest {

    private static GresConf of(String... lines) {
        return GresConf.of(SlurmConf.parse("gres.conf", String.join("\n", lines)), "n1");
    }

    @Test
    void a_node_has_what_the_lines_on_it_say_beside_gpus() {
        assertThat(
                        of(
                                        "AutoDetect=nvml",
                                        "Name=gpu Type=a100 File=/dev/nvidia[0-7] Cores=0-31",
                                        "Name=mps Count=800",
                                        "Name=nic Count=2K",
                                        "Name=fpga Type=xilinx File=/dev/xfpga[0-1]",
                                        "NodeName=n[1-2] Name=fpga Type=xilinx File=/dev/xfpga7",
                                        "NodeName=n2 Name=tape")
                                .others())
                .containsExactly(
                        new Gres(
                                "fpga",
                                "xilinx",
                                3,
                                List.of("/dev/xfpga0", "/dev/xfpga1", "/dev/xfpga7")),
                        new Gres("nic", null, 2048));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Name=nic Count=many | is no count such as 4 or 2K",
                "Name=nic Colour=red | colour is none of",
                "Name=nic File=/dev/a MultipleFiles=/dev/b,/dev/c | a line has one of the two",
                "Name=nic MultipleFiles=/dev/b,/dev/c Count=2 | with 1 device files",
                "Name=nic Flags=loud | Flags=loud is none of",
                "Name=gpu Flags=no_gpu_env,amd_gpu_env | Flags=no_gpu_env is with none of",
                "Name=mps Flags=loud | Flags=loud is none of",
                "Name=fpga File=/dev/x[0-1] Count=3 | with 2 device files",
                "Name=fpga File=/dev/x[1-0] | runs backwards",
                "Name=gpu File=/dev/nvidia[0-3] Count=2 | Count=2 is not that of its 4 files",
                "Name=gpu Count=0 | is no count such as 4 or 2K",
                "Name=gpu Type=a/b | is no type such as a100 or rtx_4090",
                "Name=gpu File=/dev/nvidia[0-1] Links=-1,4 | a line with Links names one GPU, by File",
                "Name=gpu File=/dev/nvidia0 Links=many | is no list of counts such as -1,16,16,16",
                "Name=gpu File=/dev/nvidia0 Cores=x | 'x'",
                "Name=gpu File=/dev/nvidia0,/dev/nvidia0 | /dev/nvidia0 is named twice",
                "Name=gpu MultipleFiles=/dev/nvidia-caps/nvidia-cap21 | one of them is such as /dev/nvidia0",
                "Name=gpu MultipleFiles=/dev/nvidia0,/dev/nvidia1 | MultipleFiles are those of one GPU",
                "AutoDetect=magic | AutoDetect=magic is none of"
            })
    void what_is_wrong_is_told_with_its_place(String line, String why) {
        assertThatThrownBy(() -> of("# A comment", line))
                .hasMessageStartingWith("gres.conf:2: " + line)
                .hasMessageContaining(why);
    }

    @Test
    void what_has_several_device_files_is_one_by_its_first() {
        GresConf conf =
                of(
                        "Name=dpu MultipleFiles=/dev/dpu0,/dev/dpu0_ctl",
                        "Name=dpu MultipleFiles=/dev/dpu[1-3]");

        assertThat(conf.others())
                .containsExactly(new Gres("dpu", null, 2, List.of("/dev/dpu0", "/dev/dpu1")));
        assertThat(conf.filesOf("/dev/dpu0")).containsExactly("/dev/dpu0", "/dev/dpu0_ctl");
        assertThat(conf.filesOf("/dev/dpu1"))
                .containsExactly("/dev/dpu1", "/dev/dpu2", "/dev/dpu3");
    }

    @Test
    void several_files_of_a_gpu_are_its_own_its_instances_and_those_beside() {
        GresConf conf =
                of(
                        "Name=gpu Type=1g.5gb MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap[21-22]",
                        "Name=gpu Type=1g.5gb MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap[30-31]",
                        "Name=gpu Type=mi300x MultipleFiles=/dev/dri/renderD128,/dev/dri/card0");

        assertThat(conf.gpus())
                .extracting(GpuLine::files, GpuLine::capabilities, GpuLine::besides)
                .containsExactly(
                        tuple(List.of("/dev/nvidia0"), IndexSet.parse("21-22"), List.of()),
                        tuple(List.of("/dev/nvidia0"), IndexSet.parse("30-31"), List.of()),
                        tuple(
                                List.of("/dev/dri/renderD128"),
                                IndexSet.EMPTY,
                                List.of("/dev/dri/card0")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Name=gpu | null",
                "Name=gpu Flags=CountOnly,explicit | null",
                "Name=gpu Flags=NVIDIA_gpu_env | [CUDA_VISIBLE_DEVICES, NVIDIA_VISIBLE_DEVICES]",
                "Name=gpu Flags=amd_gpu_env,opencl_env | [ROCR_VISIBLE_DEVICES]",
                "Name=gpu Flags=no_gpu_env | []",
                "Name=gpu Type=a Flags=no_gpu_env; Name=gpu Type=a Count=2 | []",
                "Name=gpu Type=a Flags=no_gpu_env; Name=gpu Type=b | null",
                "Name=gpu Type=a Flags=no_gpu_env; Name=gpu Type=a Flags=amd_gpu_env | [ROCR_VISIBLE_DEVICES]"
            })
    void flags_say_which_variables_tell_of_a_gpu(String lines, String variables) {
        assertThat(String.valueOf(of(lines.split("; ")).gpus().getLast().variables()))
                .isEqualTo(variables);
    }

    @Test
    void flags_that_mean_nothing_here_are_named() {
        assertThat(
                        of(
                                        "Name=gpu Flags=nvidia_gpu_env,opencl_env",
                                        "Name=fpga Flags=CountOnly,explicit",
                                        "Name=mps Flags=one_sharing",
                                        "Name=shard Flags=all_sharing")
                                .unheeded())
                .containsExactly(
                        "gres.conf:1: Name=gpu Flags=nvidia_gpu_env,opencl_env: Flags=opencl_env: GPU_DEVICE_ORDINAL is not set",
                        "gres.conf:2: Name=fpga Flags=CountOnly,explicit: Flags=explicit: a job that has its nodes to itself has all of them",
                        "gres.conf:4: Name=shard Flags=all_sharing: Flags=all_sharing: a job's part is of one GPU");
    }

    @Test
    void lines_on_gpus_are_read_in_their_order() {
        GresConf conf =
                of(
                        "Name=gpu Type=A100 File=/dev/nvidia[0-1] Cores=[0-15]",
                        "NodeName=n2 Name=gpu File=/dev/nvidia7",
                        "Name=gpu File=/dev/nvidia2 Links=4,-1,0 Flags=nvidia_gpu_env",
                        "Name=gpu Count=4");

        assertThat(conf.gpus())
                .extracting(
                        GpuLine::type,
                        GpuLine::files,
                        GpuLine::count,
                        GpuLine::cores,
                        GpuLine::links)
                .containsExactly(
                        tuple(
                                "a100",
                                List.of("/dev/nvidia0", "/dev/nvidia1"),
                                0L,
                                IndexSet.parse("0-15"),
                                List.of()),
                        tuple(null, List.of("/dev/nvidia2"), 0L, null, List.of(4, -1, 0)),
                        tuple(null, List.of(), 4L, null, List.of()));
        assertThat(conf.gpus().getLast().place()).isEqualTo("gres.conf:4: Name=gpu Count=4");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Name=nic | true",
                "AutoDetect=nvml | true",
                "AutoDetect=off | false",
                "NodeName=n1 AutoDetect=off; AutoDetect=nvml | false",
                "AutoDetect=off; NodeName=n1 AutoDetect=nvml | true",
                "NodeName=n2 AutoDetect=off | true"
            })
    void detection_is_on_unless_it_is_off_for_the_node(String lines, boolean on) {
        assertThat(of(lines.split("; ")).detected()).isEqualTo(on);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nic | nic:1",
                "nic:2 | nic:2",
                "nic:1K | nic:1024",
                "fpga:xilinx | fpga:xilinx:1",
                "gres:fpga:xilinx:2,nic:0 | fpga:xilinx:2",
                "nic:1,fpga:1,nic:3 | fpga:1,nic:3"
            })
    void an_option_asks_for_a_name_a_type_and_a_count(String list, String read)
            throws InvalidOption {
        assertThat(GresText.text(GresText.parse(list))).isEqualTo(read);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fpga:1,fpga:xilinx:1", "gpu:1,fpga:xilinx,nic:1,fpga"})
    void a_name_with_its_type_and_without_one_is_refused_together(String list) {
        assertThatThrownBy(() -> GresList.parse(list))
                .isInstanceOf(InvalidOption.class)
                .hasMessageContaining("names fpga with a type and without one");
    }

    @Test
    void memory_beside_whole_gpus_is_what_each_of_them_has_and_a_part_is_refused_there()
            throws InvalidOption {
        assertThat(GresList.parse("gpu:a100:2,gpumem:40G"))
                .isEqualTo(new GresList(new GpuSpec(2, "a100"), "gpumem:40G", null));
        assertThat(GpuPartText.memoryAlone("gpumem:40G")).isEqualTo(40_960);
        assertThat(GpuPartText.memoryAlone("mps:10,gpumem:40G")).isNull();
        assertThatThrownBy(() -> GresList.parse("gpu:2,mps:10,gpumem:40G"))
                .isInstanceOf(InvalidOption.class)
                .hasMessage(GresText.INVALID);
    }

    @Test
    void several_types_of_a_name_may_be_wanted_together() throws InvalidOption {
        assertThat(GresText.text(GresText.wanted("fpga:xilinx,fpga:altera:2,nic:1")))
                .isEqualTo("fpga:altera:2,fpga:xilinx:1,nic:1");
    }

    @ParameterizedTest
    @CsvSource({"nic:a:b:1", "nic:x:y", "gpu:2", "NIC:1", "nic::1", "nic:1.5"})
    void what_is_no_such_list_is_refused(String list) {
        assertThatThrownBy(() -> GresText.parse(list))
                .isInstanceOf(InvalidOption.class)
                .hasMessage(
                        "Invalid generic resource (gres) specification: '%s' is not name[:type][:count]"
                                .formatted(list));
    }

    @Test
    void segments_and_how_a_job_is_parallel_are_read() throws InvalidOption {
        JobSubmission.Nodes where =
                Sbatch.submission(
                                List.of("-N8", "--segment=4"),
                                Map.of(),
                                "#!/bin/sh\n#BERTH --parallel=model\ntrue\n",
                                List.of())
                        .nodesWanted();

        assertThat(where.segment()).isEqualTo(4);
        assertThat(where.parallel()).isEqualTo("model");
    }
}
