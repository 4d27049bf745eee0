package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.berth.agent.nvml.NvmlStub;
import io.berth.agent.nvml.Topologies;
import io.berth.contracts.Allocation;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import io.berth.contracts.JobSpec;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.RunReport.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which GPUs' device files the tasks of steps can open, in a run that holds three of four.
class StepGpusTest {

    /// Options of `srun`, and what tasks can open then.
    private static final List<List<String>> CASES =
            List.of(
                    List.of("-n1", "GPU-0 GPU-1 GPU-3"),
                    List.of("-n1 -G2", "GPU-0 GPU-1"),
                    List.of("-n1 -G0", ""),
                    List.of("-n2 -G1", "GPU-0", "GPU-0"),
                    List.of("-n2 --gpus-per-task=1", "GPU-0", "GPU-1"),
                    List.of("-n2 --gpus-per-task=1 --gpu-bind=none", "GPU-0 GPU-1", "GPU-0 GPU-1"),
                    List.of("-n2 --gpu-bind=per_task:1", "GPU-0", "GPU-1"),
                    List.of("-n2 --gpu-bind=single:1", "GPU-0", "GPU-1"),
                    List.of("-n2 --gpu-bind=map_gpu:2,0", "GPU-3", "GPU-0"),
                    List.of("-n2 --gpu-bind=mask_gpu:0x5,0x2", "GPU-0 GPU-3", "GPU-1"),
                    List.of("-n1 --gpu-bind=map_gpu:1", "GPU-1"));

    @TempDir Path folder;
    AgentRig rig;

    @BeforeEach
    void start() throws Exception {
        NvmlStub driver =
                NvmlStub.in(Files.createDirectories(folder.resolve("driver")), Topologies.l40s());
        rig =
                new AgentRig(
                        folder,
                        TestConfig.found(
                                folder.resolve("home"), AgentRig.newNode(), driver.library()));
        rig.placement.register(rig.node);
        assumeThat(rig.agent().node().inventory().isolation()).contains(Isolation.DEVICES);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    /// The GPUs that a task could open: a file that nobody serves tells it by another error than
    /// one that is denied.
    private String opened(String name) throws IOException {
        return Arrays.stream(Files.readString(rig.work.resolve(name)).split("\n"))
                .filter(line -> line.contains("No such device"))
                .map(line -> line.replaceAll("(?s).*gpu-195-([0-9]+).*", "$1"))
                .map(minor -> "GPU-" + (3 - Integer.parseInt(minor)))
                .sorted()
                .collect(Collectors.joining(" "));
    }

    @Test
    void tasks_open_the_gpus_that_are_bound_to_them() throws Exception {
        String open = "sh -c 'cat %s/gpu-195-[0-3] 2>opened.$SLURM_STEP_ID.$SLURM_PROCID'\n";
        var script = new StringBuilder();
        for (List<String> each : CASES) {
            script.append("srun ").append(each.getFirst()).append(' ').append(open);
        }
        // Names that a script itself makes deny nothing.
        script.append("unset CUDA_VISIBLE_DEVICES; srun ").append(open);
        RunId run = HandPlacement.newRun();

        JobSpec spec =
                Jobs.script(
                        run.job(),
                        rig.work,
                        script.toString().replace("%s", folder.resolve("home/devices").toString()));
        rig.placement.launch(
                rig.node,
                run,
                rig.placement.writeSpec(spec),
                LaunchMode.BATCH,
                false,
                List.of(
                        new Allocation(
                                new NodeName(rig.node),
                                0,
                                2,
                                IndexSet.firstN(2),
                                64,
                                List.of("GPU-0", "GPU-1", "GPU-3"))),
                0);
        rig.placement.await(Ended.class, run);

        for (int step = 0; step < CASES.size(); step++) {
            List<String> expected = CASES.get(step);
            for (int rank = 0; rank + 1 < expected.size(); rank++) {
                assertThat(opened("opened." + step + "." + rank))
                        .as("task %d with %s", rank, expected.getFirst())
                        .isEqualTo(expected.get(rank + 1));
            }
        }
        assertThat(opened("opened." + CASES.size() + ".0")).isEqualTo("GPU-0 GPU-1 GPU-3");
    }
}
