package io.berth.agent.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.agent.container.ContainerRuntime.Bind;
import io.berth.agent.container.ContainerRuntime.Call;
import io.berth.agent.container.ContainerRuntime.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContainerRuntimeTest {

    private static final Call CALL =
            new Call(
                    "berth-7.1",
                    Path.of("/spool/7.1/container"),
                    Path.of("/spool/7.1/container/state"),
                    Path.of("/images/my torch"),
                    List.of(
                            new Bind(Path.of("/spool/7.1"), Path.of("/run/berth/run"), true),
                            new Bind(Path.of("/spool/bin"), Path.of("/run/berth/bin"), false)),
                    Path.of("/home/alice"),
                    "027",
                    List.of("A", "B"),
                    List.of("nvidia.com/gpu=GPU-1"),
                    true,
                    List.of("/run/berth/run/script", "$(x)"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CRUN | --root,/spool/7.1/container/state,--cgroup-manager=disabled,run,--bundle,/spool/7.1/container,berth-7.1",
                "RUNC | --root,/spool/7.1/container/state,--rootless,true,--log=/dev/null,run,--bundle,/spool/7.1/container,berth-7.1",
                "APPTAINER | exec,--pwd,/home/alice,--bind,/spool/7.1:/run/berth/run:rw,--bind,/spool/bin:/run/berth/bin:ro,"
                        + "--nv,/images/my torch,/run/berth/run/script,$(x)",
                "PODMAN | --log-level=fatal,--root=/spool/7.1/container/state/storage,--tmpdir=/spool/7.1/container/state/tmp,--storage-driver=vfs,"
                        + "--events-backend=none,--cgroup-manager=cgroupfs,"
                        + "--runtime=crun,--runtime-flag=cgroup-manager=disabled,--runtime-flag=root=/spool/7.1/container/state/crun,"
                        + "run,--rm,--name,berth-7.1,--interactive,--tty,--log-driver=none,--cgroups=no-conmon,--network=host,--pid=host,--ipc=host,"
                        + "--ulimit=host,--umask=027,--no-hosts,--dns=none,--security-opt=no-new-privileges,--workdir,/home/alice,"
                        + "--mount=type=tmpfs;destination=/run,--volume=/dev:/dev,--volume,/spool/7.1:/run/berth/run:rw,--volume,/spool/bin:/run/berth/bin:ro,"
                        + "--env,A,--env,B,--device,nvidia.com/gpu=GPU-1,--rootfs,/images/my torch,/run/berth/run/script,$(x)"
            })
    void each_is_told_in_its_own_words(Kind kind, String words) {
        List<String> told =
                Stream.of(words.split(",")).map(word -> word.replace(';', ',')).toList();

        assertThat(new ContainerRuntime(kind, Path.of("/usr/bin/it")).command(CALL))
                .startsWith("/usr/bin/it")
                .endsWith(told.toArray(String[]::new))
                .hasSize(1 + told.size());
    }

    @ParameterizedTest
    @CsvSource({"CRUN,''", "RUNC,''", "APPTAINER,':,'", "PODMAN,:"})
    void a_folder_whose_name_would_be_cut_is_refused(Kind kind, String separators) {
        var runtime = new ContainerRuntime(kind, Path.of("/usr/bin/it"));

        for (String each : List.of(":", ",", "=", " ")) {
            assertThat(runtime.refusal(Path.of("/data/a" + each + "b")).isPresent())
                    .as(each)
                    .isEqualTo(separators.contains(each));
        }
    }

    @Test
    void the_first_that_is_known_is_taken_unless_one_is_named(@TempDir Path folder)
            throws Exception {
        assertThat(ContainerRuntime.find(Optional.empty(), folder + ":/nowhere")).isEmpty();
        for (String name : List.of("podman", "runc")) {
            Path program = Files.createFile(folder.resolve(name));
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        }

        assertThat(ContainerRuntime.find(Optional.empty(), "/nowhere:" + folder))
                .contains(new ContainerRuntime(Kind.RUNC, folder.resolve("runc")));
        assertThat(ContainerRuntime.find(Optional.of(Path.of("/opt/crun")), "/nowhere"))
                .contains(new ContainerRuntime(Kind.CRUN, Path.of("/opt/crun")));
        assertThatThrownBy(() -> ContainerRuntime.find(Optional.of(Path.of("/bin/docker")), ""))
                .hasMessage(
                        "/bin/docker is no runtime that is known: crun, runc, apptainer, podman");
    }
}
