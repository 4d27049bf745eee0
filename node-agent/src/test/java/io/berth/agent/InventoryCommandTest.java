package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.berth.agent.host.Host;
import io.berth.agent.host.SystemFiles;
import io.berth.agent.nvml.NvmlStub;
import io.berth.agent.nvml.Topologies;
import io.berth.contracts.Gpu;
import io.berth.contracts.Gres;
import io.berth.contracts.Inventory;
import io.berth.contracts.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InventoryCommandTest {

    @TempDir Path folder;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String library, String... arguments) {
        return run(Map.of("berth.agent.nvml-library", library), arguments);
    }

    private int run(Map<String, String> settings, String... arguments) {
        return InventoryCommand.run(
                List.of(arguments),
                settings,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @Test
    void the_json_is_what_an_agent_publishes() throws Exception {
        NvmlStub stub = NvmlStub.in(folder, Topologies.dgxA100());

        int status = run(stub.library(), "--json");

        assertThat(status).isZero();
        Inventory printed = Json.mapper().readValue(out.toByteArray(), Inventory.class);
        var config = TestConfig.found(folder, "x", stub.library());
        HostInventory found = HostInventory.read(SystemFiles.HERE, config);
        assertThat(printed).isEqualTo(found.node(config).inventory());
        assertThat(printed.gpus()).hasSize(8);
    }

    @Test
    void settings_of_an_agent_count_as_it_would_heed_them() throws IOException {
        Path gres = Files.writeString(folder.resolve("gres.conf"), "Name=nic Count=2\n");
        Host host = Host.read(SystemFiles.HERE);
        int last = host.cpus().toBitSet().length() - 1;
        Map<String, String> settings =
                Map.of(
                        "berth.agent.nvml-library", "no-such-library",
                        "berth.agent.name", "lab-7",
                        "berth.agent.reserved-cpus", Integer.toString(last),
                        "berth.agent.reserved-memory", "512",
                        "berth.agent.gpu-profile", "dgx-a100",
                        "berth.agent.gres-conf", gres.toString());

        assertThat(run(settings)).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("lab-7: ");
        out.reset();
        assertThat(run(settings, "--json")).isZero();

        Inventory printed = Json.mapper().readValue(out.toByteArray(), Inventory.class);
        assertThat(printed.cpus()).isEqualTo(host.cpus().size() - 1);
        assertThat(printed.memoryMib()).isEqualTo(Host.machineMib() - 512);
        assertThat(printed.simulated()).isTrue();
        assertThat(printed.gpus()).hasSize(8);
        assertThat(printed.gres()).containsExactly(new Gres("nic", null, 2));
    }

    @Test
    void settings_that_cannot_be_are_told_in_one_line() {
        assertThat(run(Map.of("berth.agent.reserved-memory", "much"))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("berth: ")
                .contains("berth.agent.reserved-memory")
                .hasLineCount(1);
    }

    /// As the loader finds it for every program.
    @Test
    void the_library_is_found_by_the_path_of_the_loader() throws Exception {
        NvmlStub.in(folder, Topologies.l40s());

        assertThat(found(folder.toString())).contains("\"GPU-3\"");
        assertThat(found("/nonexistent")).contains("\"gpus\"").doesNotContain("\"GPU-3\"");
    }

    /// In a JVM of its own: the loader reads its path when a program begins.
    static final class Child {

        private Child() {}

        public static void main(String[] arguments) {
            System.exit(InventoryCommand.run(List.of("--json"), System.out, System.err));
        }
    }

    private static String found(String path) throws Exception {
        var child =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName());
        child.environment().put("LD_LIBRARY_PATH", path);
        child.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process = child.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return text;
    }

    @Test
    void the_text_shows_gpus_links_and_what_is_out_of_service() throws IOException {
        NvmlStub stub =
                NvmlStub.in(
                        folder, Topologies.l40s() + "fail nvmlDeviceGetHandleByIndex_v2 15 1\n");

        int status = run(stub.library());

        assertThat(status).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("NVIDIA driver 550.54.15, API 12.4\n")
                .contains("GPU 1 (-, -) is LOST: nvmlDeviceGetHandleByIndex_v2: the GPU is lost")
                .containsPattern("0 +l40s +46068 +3 +0000:00:00.0")
                .containsPattern("LINKS +0 +2 +3\n0 +X +PHB +SYS\n");
    }

    @Test
    void a_driver_that_hangs_is_told_in_a_line() throws IOException {
        NvmlStub stub = NvmlStub.in(folder, Topologies.l40s() + "hang nvmlDeviceGetName 1\n");

        int status =
                run(
                        Map.of(
                                "berth.agent.nvml-library",
                                stub.library(),
                                "berth.agent.driver-wait",
                                "50ms"));

        stub.tell("");
        assertThat(status).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsPattern(
                        "NVIDIA driver .*, API -: it has not answered for 50 ms, as one does whose GPU hangs\n")
                .contains("No GPUs\n");
    }

    @Test
    void the_text_shows_what_gpus_in_mig_mode_are_split_into() throws IOException {
        NvmlStub stub = NvmlStub.in(folder, Topologies.splitA100());

        int status = run(stub.library());

        assertThat(status).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains(
                        "GPU 1 of the machine (a100, GPU-1) is in MIG mode, split into 1x3g.20gb+2x1g.5gb\n");
    }

    @Test
    void a_gres_conf_is_tried_against_the_machine() throws IOException {
        NvmlStub stub = NvmlStub.in(folder, Topologies.l40s());
        Path file = folder.resolve("gres.conf");
        Files.writeString(file, "Name=gpu Type=ada File=/dev/nvidia[2-3]\n");

        assertThat(run(stub.library(), "--json", "--gres-conf=" + file)).isZero();

        Inventory printed = Json.mapper().readValue(out.toByteArray(), Inventory.class);
        assertThat(printed.gpus())
                .extracting(Gpu::index, Gpu::type)
                .containsExactly(tuple(0, "ada"), tuple(1, "ada"));
        assertThat(Objects.requireNonNull(printed.links()).rows())
                .containsExactly("X PIX", "PIX X");
        Files.writeString(file, "Name=gpu File=/dev/nvidia[0-4]\n");
        assertThat(run(stub.library(), "--gres-conf=" + file)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo(
                        "berth: berth.agent.gres-conf: %s:1: Name=gpu File=/dev/nvidia[0-4]: there is no GPU /dev/nvidia4: found are [/dev/nvidia3, /dev/nvidia2, /dev/nvidia1, /dev/nvidia0]\n"
                                .formatted(file));
    }

    @Test
    void other_arguments_are_refused() {
        int status = run("no-such-library", "--yaml");

        assertThat(status).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo(
                        """
                        berth: node inventory does not know [--yaml]
                        usage: berth node inventory [--json] [--gres-conf=FILE]
                        """);
    }
}
