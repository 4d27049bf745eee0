package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.Jobs;
import io.berth.agent.host.Drivers;
import io.berth.agent.host.FoundGpus;
import io.berth.agent.host.Host;
import io.berth.agent.host.LocalNode;
import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuHardware.Fabric;
import io.berth.contracts.Hardware;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Order.Launch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which channel a run on an NVLink fabric has, and finds.
class ImexChannelTest {

    private static final Host HOST =
            new Host("tray1", IndexSet.firstN(2), 1, 2, 1, 900, "Linux", "amd64");

    private static Gpu gpu(@Nullable Fabric fabric) {
        GpuHardware hardware = Drivers.nvidia(fabric, null);
        return new Gpu(0, "GPU-a", "gb200", "GB200", 0, 190_000, 0, hardware);
    }

    private static LocalNode node(@Nullable Fabric fabric, @Nullable String channels) {
        var gpus = new FoundGpus(List.of(gpu(fabric)), null, List.of(), List.of(), List.of());
        IndexSet made = channels == null ? null : IndexSet.parse(channels);
        var hardware = new Hardware(List.of(), List.of(), 0, List.of(), List.of(), made, List.of());
        return LocalNode.host(HOST, "tray1", gpus, hardware);
    }

    private static Launch launch(long job, int nodes, List<String> gpus) {
        var allocations = new ArrayList<Allocation>();
        for (int place = 0; place < nodes; place++) {
            var name = new NodeName("tray" + (place + 1));
            allocations.add(new Allocation(name, place, 1, IndexSet.firstN(1), 64, gpus));
        }
        return new Launch(
                new NodeName("tray1"),
                1,
                1,
                new RunId(new JobId(job), 1),
                new SpecReference(0, 0, ""),
                LaunchMode.BATCH,
                false,
                allocations,
                0);
    }

    private static @Nullable String variable(LocalNode node, Launch launch) {
        var spec = Jobs.script(launch.run().job(), Path.of("/"), "");
        return new JobEnvironment(node, launch, spec, "small", 0, Account.own(0, 0, "/"))
                .variables()
                .get("NVIDIA_IMEX_CHANNELS");
    }

    private static final Fabric FABRIC = new Fabric("domain", 1);
    private static final List<String> HELD = List.of("GPU-a");

    @ParameterizedTest
    @CsvSource({"9,0", "10,2", "11,5", "12,0"})
    void jobs_have_the_channels_in_turn(long job, int channel) {
        LocalNode node = node(FABRIC, "0,2,5");
        Launch launch = launch(job, 2, HELD);

        assertThat(ImexChannel.of(node, launch)).isEqualTo(OptionalInt.of(channel));
        assertThat(variable(node, launch)).isEqualTo(Integer.toString(channel));
    }

    @Test
    void a_run_on_one_node_or_without_a_gpu_of_the_fabric_or_a_channel_has_none() {
        Map<Launch, LocalNode> none =
                Map.of(
                        launch(9, 1, HELD), node(FABRIC, "0,2,5"),
                        launch(10, 2, List.of()), node(FABRIC, "0,2,5"),
                        launch(11, 2, HELD), node(null, "0,2,5"),
                        launch(12, 2, HELD), node(FABRIC, null));

        none.forEach((launch, node) -> {
            assertThat(ImexChannel.of(node, launch)).isEmpty();
            assertThat(variable(node, launch)).isNull();
        });
    }
}
