package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.nvml.NvmlStub;
import io.berth.agent.nvml.Topologies;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobSpec;
import io.berth.contracts.RunId;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Started;
import io.berth.contracts.event.RunReport.Suspended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Scripts and steps in containers by podman.
@ParameterizedClass
@EnumSource
class PodmanTest {

    /// Whose account scripts run under.
    enum Whose {
        ROOTS,
        USERS
    }

    private static final String USER = "daemon";

    /// podman's crun takes no host that has some controllers in version 2 and some in version 1.
    /// And podman of root raises limits, for which root in a container may lack the right.
    private static final String PODMAN =
            """
            #!/bin/sh
            for word; do
                shift
                case $word in
                --runtime=crun) set -- "$@" --runtime="${0%/*}/tools/crun" ;;
                --ulimit=host) set -- "$@" --ulimit=nofile=1000:1000 --ulimit=nproc=1000:1000 ;;
                *) set -- "$@" "$word" ;;
                esac
            done
            [ -e "${0%/*}/cdi" ] || exec podman "$@"
            exec unshare -m sh -ec 'mount -t tmpfs none /run; cp -r "$0" /run/cdi; exec podman "$@"' "${0%/*}/cdi" "$@"
            """;

    private static final String CRUN =
            """
            #!/bin/sh
            exec unshare -m sh -c 'mount -t tmpfs none /sys/fs/cgroup/unified 2>/dev/null; exec crun "$@"' crun "$@"
            """;

    /// An image with copies of some of the host's programs, and the working directory.
    private static final String IMAGE =
            """
            mkdir -p bin proc dev sys run etc tmp usr/bin ".$0"
            for name in sh awk cat date flock grep id ls mkdir mktemp mv rm sed sleep sort tail taskset touch tr; do
                file=$(readlink -f "$(command -v $name)")
                cp "$file" bin/$name
                for library in $(ldd "$file" | grep -o '/[^ ]*'); do
                    mkdir -p ".${library%/*}"
                    [ -e ".$library" ] || cp -L "$library" ".$library"
                done
            done
            ln -s /bin/env usr/bin/env
            touch etc/hostname
            ln -s /proc/mounts etc/mtab
            echo inside >mark
            """;

    private final Whose whose;
    @TempDir Path folder;
    private AgentRig rig;

    PodmanTest(Whose whose) {
        this.whose = whose;
    }

    @BeforeEach
    void start() throws Exception {
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        assumeThat(Path.of("/usr/bin/podman")).as("podman").isExecutable();
        assumeThat(Path.of("/usr/bin/crun")).as("crun").isExecutable();
        Path home = Files.createDirectories(folder.resolve("home"));
        writeExecutable(home.resolve("podman"), PODMAN);
        writeExecutable(Files.createDirectory(home.resolve("tools")).resolve("crun"), CRUN);
        rig =
                switch (whose) {
                    case ROOTS -> {
                        var own = new AgentRig(folder);
                        own.placement.register(own.node);
                        yield own;
                    }
                    case USERS -> AgentRig.runningAs(USER, folder);
                };
        Path image = Files.createDirectory(folder.resolve("image"));
        Process made =
                new ProcessBuilder("sh", "-ec", IMAGE, rig.work.toString())
                        .directory(image.toFile())
                        .inheritIO()
                        .start();
        assertThat(made.waitFor()).isZero();
    }

    private static void writeExecutable(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterEach
    void stop() throws Exception {
        if (rig == null) {
            return;
        }
        rig.awaitForgotten();
        assertThat(Files.readString(Path.of("/proc/self/mounts")))
                .doesNotContain(folder.toString());
        rig.close();
    }

    private RunId launch(String body) {
        RunId run = HandPlacement.newRun();
        JobSpec spec = Jobs.in(folder.resolve("image"), script(run, body));
        rig.placement.launch(rig.node, run, spec, 512);
        return run;
    }

    private JobSpec script(RunId run, String body) {
        JobSpec script = Jobs.script(run.job(), rig.work, body);
        return whose == Whose.USERS ? Jobs.of(USER, script) : script;
    }

    private void awaitFile(RunId run, String name) throws IOException {
        await().atMost(Duration.ofSeconds(60))
                .until(() ->
                        Files.exists(rig.work.resolve(name))
                                || rig.placement.reports(run).stream()
                                        .anyMatch(Ended.class::isInstance));
        assertThat(rig.work.resolve(name)).as(rig.output(run)).exists();
    }

    private void assertExit(int code, RunId run) throws IOException {
        Ended ended = rig.placement.await(Ended.class, run);
        assertThat(ended.exit()).as(rig.output(run)).isEqualTo(new ExitStatus(code, 0));
    }

    @Test
    void a_script_and_its_steps_are_in_the_container_and_in_the_runs_group() throws Exception {
        RunId run =
                launch(
                        """
                        cat /mark
                        id -u
                        grep -q "/$SLURM_JOB_ID.1" /proc/self/cgroup && echo in its group
                        echo "$SLURM_CONTAINER" | sed 's:.*/::'
                        srun -O -n2 -l cat /mark | sort
                        touch made
                        exit 3
                        """);

        assertExit(3, run);
        assertThat(rig.output(run))
                .isEqualTo("inside\n0\nin its group\nimage\n0: inside\n1: inside\n");
        assertThat(Files.getOwner(rig.work.resolve("made"))).isEqualTo(Files.getOwner(rig.work));
    }

    @Test
    void a_step_runs_in_a_container_of_its_own() throws Exception {
        RunId run = HandPlacement.newRun();
        String image = folder.resolve("image").toString();
        JobSpec script =
                script(
                        run,
                        """
                        srun -O --container=IMAGE -n2 -l cat /mark | sort
                        echo given | srun --container=IMAGE cat
                        script -qec "stty rows 33 cols 101; srun --container=IMAGE sh -c 'test -t 1 && echo typed'" /dev/null </dev/null |
                            tr -dc 'a-z \\n'
                        srun --container=IMAGE sh -c 'exit 4' 2>/dev/null
                        """
                                .replace("IMAGE", image));

        rig.placement.launch(rig.node, run, script, 512);

        assertExit(4, run);
        assertThat(rig.output(run)).isEqualTo("0: inside\n1: inside\ngiven\ntyped\n");
    }

    /// podman finds the names by itself, in its own folder.
    @Test
    void a_container_has_what_the_vendors_file_says_of_its_gpus_and_of_no_others()
            throws Exception {
        assumeThat(whose).isEqualTo(Whose.ROOTS);
        rig.close();
        Path home = folder.resolve("home");
        NvmlStub driver =
                NvmlStub.in(Files.createDirectories(folder.resolve("driver")), Topologies.l40s());
        rig = new AgentRig(folder, TestConfig.found(home, AgentRig.newNode(), driver.library()));
        rig.placement.register(rig.node);
        LaunchTest.writeCdi(home, rig);
        String body = "echo $VENDOR $CARD; cat /library /card1; ls -d /card*";
        RunId run = HandPlacement.newRun();
        RunId unnamed = HandPlacement.newRun();
        Path image = folder.resolve("image");

        rig.placement.launch(rig.node, run, Jobs.in(image, script(run, body)), 512, rig.gpu(1));
        assertExit(0, run);
        rig.placement.launch(
                rig.node, unnamed, Jobs.in(image, script(unnamed, "true")), 512, rig.gpu(2));
        Ended refused = rig.placement.await(Ended.class, unnamed);

        assertThat(rig.output(run)).isEqualTo("void 1\nof the vendor\n/card1\n");
        assertThat(refused.message())
                .isEqualTo("no CDI file names GPU " + rig.gpu(2) + ": see nvidia-ctk cdi generate");
    }

    @Test
    void it_stands_still_hears_a_signal_and_its_exit_code_is_told() throws Exception {
        RunId run =
                launch("trap 'exit 9' USR1; touch up; while :; do echo >>ticks; sleep 0.05; done");
        rig.placement.await(Started.class, run);
        awaitFile(run, "ticks");

        rig.placement.suspend(rig.node, run, 1, 0);
        rig.placement.await(Suspended.class, run);
        long before = Files.size(rig.work.resolve("ticks"));
        Thread.sleep(300);
        assertThat(rig.work.resolve("ticks")).hasSize(before);
        rig.placement.resume(rig.node, run);
        rig.placement.signal(rig.node, run, 10, SignalTarget.BATCH);

        assertExit(9, run);
    }

    @Test
    void what_ignores_term_is_killed_after_the_grace() throws Exception {
        RunId run =
                launch(
                        "trap 'touch told' TERM; setsid sleep 300 & touch up; while :; do sleep 0.05; done");
        awaitFile(run, "up");

        rig.placement.stop(rig.node, run, 1);

        assertThat(rig.placement.await(Ended.class, run).cause()).isEqualTo(Cause.STOPPED);
        assertThat(rig.work.resolve("told")).exists();
        assertThat(processesIn(folder.resolve("image"))).isEmpty();
    }

    @Test
    void more_memory_than_the_runs_is_not_to_be_had() throws Exception {
        RunId run = launch("tail /dev/zero");

        assertThat(rig.placement.await(Ended.class, run).cause()).isEqualTo(Cause.OUT_OF_MEMORY);
    }

    private static List<Path> processesIn(Path image) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            return all.filter(it -> it.getFileName().toString().matches("[0-9]+"))
                    .filter(it -> {
                        try {
                            return Files.readSymbolicLink(it.resolve("root")).equals(image);
                        } catch (IOException e) {
                            return false;
                        }
                    })
                    .toList();
        }
    }
}
