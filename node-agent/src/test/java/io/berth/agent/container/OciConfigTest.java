package io.berth.agent.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.agent.container.ContainerRuntime.Bind;
import io.berth.agent.container.ContainerRuntime.Call;
import io.berth.agent.container.OciConfig.Person;
import io.berth.agent.container.OciConfig.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OciConfigTest {

    private static final Person ALICE = new Person(1000, 100, 1000);
    private static final int NOBODY = 65534;

    @TempDir Path folder;

    private static JsonNode of(@Nullable String bundle, Person person, List<JsonNode> edits)
            throws IOException {
        String config =
                OciConfig.of(
                        bundle,
                        Path.of("/images/torch"),
                        person,
                        new Program(
                                Map.of("B", "mine", "C", "x=\"$(y)\n"),
                                Path.of("/home/alice"),
                                List.of("/run/berth/run/script", "a b"),
                                null),
                        Path.of("/run/berth/bin"),
                        List.of(new Bind(Path.of("/spool/7.1"), Path.of("/run/berth/run"), true)),
                        edits);
        return new ObjectMapper().readTree(config);
    }

    private static List<String> texts(JsonNode array) {
        var texts = new ArrayList<String>();
        array.forEach(
                it -> texts.add(it.isTextual() ? it.asText() : it.path("destination").asText()));
        return texts;
    }

    @Test
    void the_process_is_the_runs_and_the_files_are_the_bundles() throws IOException {
        JsonNode config =
                of(
                        """
                        {"ociVersion":"1.0.2","root":{"path":"files","readonly":true},"hostname":"x",
                         "process":{"args":["bash"],"env":["PATH=/opt/conda/bin:/bin","B=theirs","D=4"],"user":{"uid":0},
                                    "capabilities":{"effective":["CAP_SYS_ADMIN"]}},
                         "mounts":[{"destination":"/data","source":"/data","type":"bind"}],
                         "linux":{"namespaces":[{"type":"pid"},{"type":"network"}],"cgroupsPath":"/mine",
                                  "resources":{"devices":[{"allow":true}]}}}
                        """,
                        ALICE,
                        List.of());

        assertThat(config.at("/root/path").asText()).isEqualTo("/images/torch/files");
        assertThat(config.at("/root/readonly").asBoolean()).isTrue();
        assertThat(texts(config.at("/process/args")))
                .containsExactly("/run/berth/run/script", "a b");
        assertThat(texts(config.at("/process/env")))
                .containsExactlyInAnyOrder(
                        "PATH=/run/berth/bin:/opt/conda/bin:/bin", "B=mine", "C=x=\"$(y)\n", "D=4");
        assertThat(config.at("/process/cwd").asText()).isEqualTo("/home/alice");
        assertThat(config.at("/process/user").toString()).isEqualTo("{\"uid\":1000,\"gid\":100}");
        assertThat(config.at("/process").has("capabilities")).isFalse();
        assertThat(texts(config.at("/mounts")))
                .containsExactly("/proc", "/dev", "/sys", "/run", "/data", "/run/berth/run");
        assertThat(config.at("/linux").toString())
                .isEqualTo(
                        "{\"namespaces\":[{\"type\":\"mount\"},{\"type\":\"user\"}],"
                                + "\"uidMappings\":[{\"containerID\":1000,\"hostID\":1000,\"size\":1}],"
                                + "\"gidMappings\":[{\"containerID\":100,\"hostID\":100,\"size\":1}]}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                           | /images/torch/rootfs",
                "{'root':{'path':'files/'}}   | /images/torch/files",
                "{'root':{'path':'/other'}}   | /other",
                "                             | /images/torch"
            },
            quoteCharacter = '~')
    void the_files_are_where_the_bundle_says(@Nullable String bundle, Path expected)
            throws IOException {
        String text = bundle == null ? null : bundle.replace('\'', '"');

        assertThat(OciConfig.root(text, Path.of("/images/torch"))).isEqualTo(expected);
    }

    @Test
    void a_folder_is_the_containers_files_and_root_needs_no_users_of_its_own() throws IOException {
        JsonNode config = of(null, new Person(0, 0, 0), List.of());

        assertThat(config.at("/root/path").asText()).isEqualTo("/images/torch");
        assertThat(config.at("/linux").toString())
                .isEqualTo("{\"namespaces\":[{\"type\":\"mount\"}]}");
    }

    @Test
    void a_runtime_that_wants_root_has_the_account_as_root() throws IOException {
        JsonNode linux = of(null, new Person(1000, 100, 0), List.of()).at("/linux");

        assertThat(linux.at("/uidMappings/0").toString())
                .isEqualTo("{\"containerID\":0,\"hostID\":1000,\"size\":1}");
        assertThat(linux.at("/gidMappings/0").toString())
                .isEqualTo("{\"containerID\":0,\"hostID\":100,\"size\":1}");
    }

    @Test
    void a_bundle_does_not_mount_over_what_is_the_runs() throws IOException {
        JsonNode config =
                of(
                        "{\"mounts\":[{\"destination\":\"/dev/shm\"},{\"destination\":\"/x/../proc\"},"
                                + "{\"destination\":\"/devices\"}]}",
                        ALICE,
                        List.of());

        assertThat(texts(config.at("/mounts")))
                .containsExactly("/proc", "/dev", "/sys", "/run", "/devices", "/run/berth/run");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[",
                "[]",
                "null",
                "7",
                "{\"mounts\":{}}",
                "{\"root\":\"rootfs\"}",
                "{\"root\":null}",
                "{\"hooks\":[]}",
                "{\"hooks\":{\"createContainer\":{}}}"
            })
    void what_is_no_configuration_is_refused(String text) {
        assertThatThrownBy(() -> of(text, ALICE, List.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("its config.json is no");
    }

    @Test
    void devices_bring_what_their_vendor_says() throws IOException {
        Path cdi = Files.createDirectories(folder.resolve("cdi"));
        Files.writeString(
                cdi.resolve("nvidia.yaml"),
                """
                cdiVersion: 0.5.0
                kind: nvidia.com/gpu
                containerEdits:
                  env: [NVIDIA_VISIBLE_DEVICES=void, B=vendor]
                  hooks:
                    - {hookName: createContainer, path: /usr/bin/nvidia-cdi-hook, args: [nvidia-cdi-hook, update-ldcache]}
                  mounts:
                    - {hostPath: /usr/lib/libcuda.so.1, containerPath: /usr/lib/libcuda.so.1, options: [ro, rbind]}
                devices:
                  - name: "0"
                    containerEdits: {deviceNodes: [{path: /dev/nvidia0}]}
                  - name: GPU-1
                    containerEdits: {mounts: [{hostPath: /x, containerPath: /y}]}
                """);
        CdiDevices devices = CdiDevices.in(List.of(folder.resolve("none"), cdi));

        assertThat(devices.gpu("GPU-1", "1")).contains("nvidia.com/gpu=GPU-1");
        assertThat(devices.gpu("GPU-0", "0")).contains("nvidia.com/gpu=0");
        assertThat(devices.gpu("GPU-9", "")).isEmpty();
        List<JsonNode> edits = devices.edits(List.of("nvidia.com/gpu=0", "nvidia.com/gpu=GPU-1"));
        JsonNode config = of(null, ALICE, edits);
        assertThat(texts(config.at("/mounts")))
                .endsWith("/run/berth/run", "/usr/lib/libcuda.so.1", "/y");
        assertThat(texts(config.at("/process/env")))
                .contains("NVIDIA_VISIBLE_DEVICES=void", "B=mine");
        assertThat(config.at("/hooks/createContainer/0/path").asText())
                .isEqualTo("/usr/bin/nvidia-cdi-hook");
    }

    @Test
    void a_file_that_is_no_specification_is_passed_over() throws IOException {
        Files.writeString(folder.resolve("a.yaml"), "kind: [\n");
        Files.createDirectory(folder.resolve("b.yaml"));
        Files.writeString(
                folder.resolve("c.json"),
                "{\"kind\":\"nvidia.com/gpu\",\"devices\":[{\"name\":\"0\"}]}");

        CdiDevices devices = CdiDevices.in(List.of(folder));

        assertThat(devices.gpu("GPU-0", "0")).contains("nvidia.com/gpu=0");
    }

    @Test
    void crun_runs_it_for_an_account_without_rights() throws Exception {
        Optional<ContainerRuntime> crun =
                ContainerRuntime.find(Optional.empty(), "/usr/bin:/usr/local/bin")
                        .filter(it -> it.kind() == ContainerRuntime.Kind.CRUN);
        assumeThat(crun).as("crun of the host").isPresent();
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path image = Files.createDirectories(folder.resolve("image"));
        Path run = Files.createDirectories(folder.resolve("run"));
        Path script =
                Files.writeString(
                        run.resolve("script"),
                        "#!/bin/sh\nid -u; pwd; echo \"$1 $A\"; ls /run/berth; exit 7\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        var binds = new ArrayList<Bind>();
        binds.add(new Bind(run, Path.of("/run/berth/run"), true));
        for (String host : List.of("/bin", "/usr", "/lib", "/lib64")) {
            if (Files.exists(Path.of(host))) {
                binds.add(new Bind(Path.of(host), Path.of(host), false));
                Files.createDirectories(image.resolve(host.substring(1)));
            }
        }
        for (String place : List.of("proc", "dev", "sys", "run")) {
            Files.createDirectories(image.resolve(place));
        }
        Path bundle = Files.createDirectories(run.resolve("container"));
        Path state = Files.createDirectories(bundle.resolve("state"));
        Files.setAttribute(state, "unix:uid", NOBODY);
        Files.setPosixFilePermissions(bundle, PosixFilePermissions.fromString("rwx--x--x"));
        Files.writeString(
                bundle.resolve("config.json"),
                OciConfig.of(
                        null,
                        image,
                        new Person(NOBODY, NOBODY, NOBODY),
                        new Program(
                                Map.of("A", "two words"),
                                Path.of("/run/berth"),
                                List.of("/run/berth/run/script", "it's"),
                                null),
                        Path.of("/run/berth/bin"),
                        binds,
                        List.of()));
        var call =
                new Call(
                        "berth-test-" + ProcessHandle.current().pid(),
                        bundle,
                        state,
                        image,
                        binds,
                        run,
                        "022",
                        List.of(),
                        List.of(),
                        false,
                        List.of());
        var command =
                new ArrayList<>(
                        List.of(
                                "unshare",
                                "-m",
                                "sh",
                                "-c",
                                // crun takes no host that has some controllers in version 2 and
                                // some in 1.
                                "umount /sys/fs/cgroup/unified 2>/dev/null; exec setpriv --reuid=65534"
                                        + " --regid=65534 --clear-groups --inh-caps=-all -- \"$@\"",
                                "sh"));
        command.addAll(crun.get().command(call));

        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);

        assumeThat(output).as("what this kernel lets accounts do").doesNotContain("user namespace");
        assertThat(output).isEqualTo("65534\n/run/berth\nit's two words\nrun\n");
        assertThat(process.waitFor()).isEqualTo(7);
    }
}
