package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.group.Signals;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.nvml.NvmlStub;
import io.berth.agent.nvml.Topologies;
import io.berth.contracts.Allocation;
import io.berth.contracts.ArrayTask;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.RunUsage;
import io.berth.contracts.SpecReference;
import io.berth.contracts.Step;
import io.berth.contracts.StepUsage;
import io.berth.contracts.TasksUsage;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Started;
import io.berth.contracts.topic.Topics;
import io.berth.embedded.TraceCollector;
import io.berth.log.Sealed;
import io.berth.log.trace.TraceContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a script finds when it runs, and what happens where it cannot.
class LaunchTest {

    @TempDir Path folder;
    AgentRig rig;
    HandPlacement placement;
    String node;

    /// crun takes no host that has some controllers in version 2 and some in version 1.
    private static final String CRUN =
            """
            #!/bin/sh
            exec unshare -m sh -c 'umount /sys/fs/cgroup/unified 2>/dev/null; exec crun "$@"' crun "$@"
            """;

    @BeforeEach
    void start() throws Exception {
        writeCrun(Files.createDirectories(folder.resolve("home")).resolve("crun"));
        rig = new AgentRig(folder);
        placement = rig.placement;
        node = rig.node;
        placement.register(node);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    /// A crun that runs on any host.
    static void writeCrun(Path file) throws IOException {
        Files.writeString(file, CRUN);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Ended run(RunId run, JobSpec spec, String... gpus) {
        placement.launch(node, run, spec, 64, gpus);
        return placement.await(Ended.class, run);
    }

    private Ended run(RunId run, String body, String... gpus) {
        return run(run, Jobs.script(run.job(), rig.work, body), gpus);
    }

    private static void assumeCrun() throws IOException {
        assumeThat(Path.of("/usr/bin/crun")).as("crun").isExecutable();
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
    }

    /// A bundle with the host's programs.
    static void makeImage(Path bundle) throws IOException {
        Path files = Files.createDirectories(bundle.resolve("rootfs"));
        for (String place :
                List.of("bin", "etc", "usr", "lib", "lib64", "proc", "dev", "sys", "run")) {
            Files.createDirectory(files.resolve(place));
        }
        Files.writeString(files.resolve("mark"), "inside\n");
        String mounts =
                Stream.of("/bin", "/etc", "/usr", "/lib", "/lib64")
                        .filter(it -> Files.exists(Path.of(it)))
                        .map(it ->
                                "{\"destination\":\"%s\",\"type\":\"none\",\"source\":\"%s\",\"options\":[\"rbind\",\"ro\"]}"
                                        .formatted(it, it))
                        .collect(Collectors.joining(","));
        Files.writeString(bundle.resolve("config.json"), "{\"mounts\":[" + mounts + "]}");
    }

    @Test
    void a_step_runs_in_a_container_of_its_own() throws IOException {
        assumeCrun();
        makeImage(rig.work.resolve("image"));
        RunId run = HandPlacement.newRun();

        run(
                run,
                """
                export A='of the script'
                srun -O --container=image -n2 -l sh -c 'cat /mark; echo "$A $SLURM_CONTAINER"; exit 3' 2>&1 | sort
                srun --container=image sh -c 'srun --container=/other true; srun --overlap cat /mark' 2>&1
                srun --container=/nowhere true 2>&1
                srun cat /mark 2>/dev/null || echo outside
                srun -o tasks --container=image echo written
                script -qec "stty rows 33 cols 101; srun --container=image sh -c 'stty size; echo typed >/dev/tty'" /dev/null </dev/null |
                    tr -dc 'a-z0-9 \n'
                """);

        String image = rig.work.resolve("image").toString();
        assertThat(rig.output(run))
                .isEqualTo(
                        """
                        0: inside
                        0: of the script IMAGE
                        1: inside
                        1: of the script IMAGE
                        srun: error: NODE: tasks 0-1: Exited with exit code 3
                        srun: error: --container is for a script that runs in none: this one runs in IMAGE
                        inside
                        srun: error: container /nowhere does not exist, or may not be entered
                        outside
                        33 101
                        typed
                        """
                                .replace("IMAGE", image)
                                .replace("NODE", node));
        assertThat(rig.work.resolve("tasks")).hasContent("written\n");
    }

    /// Unlike crun it takes a host with controllers in both versions.
    @Test
    void a_script_and_a_step_run_in_a_container_by_runc() throws Exception {
        Path runc = Path.of("/usr/sbin/runc");
        assumeThat(runc).as("runc").isExecutable();
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        stop();
        Path home = Files.createDirectories(folder.resolve("with-runc"));
        Files.createSymbolicLink(home.resolve("runc"), runc);
        rig = new AgentRig(folder, TestConfig.host(home, AgentRig.newNode()));
        node = rig.node;
        placement = rig.placement;
        placement.register(node);
        makeImage(rig.work.resolve("image"));
        RunId run = HandPlacement.newRun();
        RunId script = HandPlacement.newRun();

        Ended ended =
                run(
                        run,
                        "srun -O --container=image -n2 -l cat /mark 2>&1 | sort\n"
                                + "srun --container=image sh -c 'exit 4'");
        JobSpec spec = Jobs.script(script.job(), rig.work, "cat /mark; id -u; exit 3");
        Ended other = run(script, Jobs.in(rig.work.resolve("image"), spec));

        assertThat(rig.output(run))
                .isEqualTo(
                        "0: inside\n1: inside\nsrun: error: "
                                + node
                                + ": task 0: Exited with exit code 4\n");
        assertThat(ended.exit().code()).isEqualTo(4);
        assertThat(rig.output(script)).isEqualTo("inside\n0\n");
        assertThat(other.exit().code()).isEqualTo(3);
    }

    @Test
    void a_script_runs_in_a_container_by_runc_under_an_account() throws Exception {
        Path runc = Path.of("/usr/sbin/runc");
        assumeThat(runc).as("runc").isExecutable();
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        stop();
        String user = "daemon";
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Path own = Files.createDirectories(folder.resolve("accounts"));
        Files.createSymbolicLink(Files.createDirectory(own.resolve("home")).resolve("runc"), runc);
        rig = AgentRig.runningAs(user, own);
        Path image = own.resolve("image");
        makeImage(image);
        assertThat(new ProcessBuilder("chown", "-R", user, image.toString()).start().waitFor())
                .isZero();
        RunId run = HandPlacement.newRun();
        JobSpec spec =
                Jobs.script(
                        run.job(),
                        rig.work,
                        "cat /mark; id -u; grep -q \"/$SLURM_JOB_ID.1\" /proc/self/cgroup && echo in its group; touch made; exit 3");

        rig.placement.launch(rig.node, run, Jobs.of(user, Jobs.in(image, spec)), 64);
        Ended ended = rig.placement.await(Ended.class, run);

        assertThat(rig.output(run)).isEqualTo("inside\n0\nin its group\n");
        assertThat(ended.exit()).isEqualTo(new ExitStatus(3, 0));
        assertThat(Files.getOwner(rig.work.resolve("made")).getName()).isEqualTo(user);
    }

    /// The file names devices that are there: copies of the null device.
    @ParameterizedTest
    @ValueSource(strings = {"crun", "runc"})
    void a_container_has_what_the_vendors_file_says_of_its_gpus_and_of_no_others(String name)
            throws Exception {
        assumeCrun();
        stop();
        Path home = Files.createDirectories(folder.resolve("with-gpus"));
        if (name.equals("crun")) {
            writeCrun(home.resolve(name));
        } else {
            assumeThat(Path.of("/usr/sbin/runc")).as("runc").isExecutable();
            Files.createSymbolicLink(home.resolve(name), Path.of("/usr/sbin/runc"));
        }
        NvmlStub driver =
                NvmlStub.in(Files.createDirectories(folder.resolve("driver")), Topologies.l40s());
        rig = new AgentRig(folder, TestConfig.found(home, AgentRig.newNode(), driver.library()));
        rig.placement.register(rig.node);
        writeCdi(home, rig);
        makeImage(rig.work.resolve("image"));
        RunId run = HandPlacement.newRun();
        JobSpec spec =
                Jobs.script(
                        run.job(),
                        rig.work,
                        "echo $VENDOR $CARD; cat /library; stat -c %t:%T /card*; echo lost >/card1 && cat /card1");

        rig.placement.launch(
                rig.node, run, Jobs.in(rig.work.resolve("image"), spec), 64, rig.gpu(1));
        Ended ended = rig.placement.await(Ended.class, run);

        assertThat(rig.output(run)).isEqualTo("void 1\nof the vendor\n1:3\n");
        assertThat(ended.exit()).isEqualTo(ExitStatus.SUCCESS);
    }

    /// A file of the Container Device Interface for the first two GPUs, of which each brings a
    /// device `/card0`, and all of them `/library`.
    static void writeCdi(Path home, AgentRig rig) throws Exception {
        Path library = Files.writeString(home.resolve("library"), "of the vendor\n");
        var text =
                new StringBuilder(
                        """
                        cdiVersion: 0.5.0
                        kind: nvidia.com/gpu
                        containerEdits:
                          env: [VENDOR=void]
                          mounts: [{hostPath: %s, containerPath: /library, options: [rbind, ro]}]
                        devices:
                        """
                                .formatted(library));
        for (int gpu = 0; gpu < 2; gpu++) {
            String card = home.resolve("card" + gpu).toString();
            assertThat(new ProcessBuilder("mknod", card, "c", "1", "3").start().waitFor()).isZero();
            text.append(
                    """
                      - name: %2$s
                        containerEdits:
                          env: [CARD=%1$d]
                          mounts: [{hostPath: %3$s, containerPath: /card%1$d, options: [rbind, rw]}]
                    """
                            .formatted(gpu, rig.gpu(gpu), card));
        }
        Files.writeString(
                Files.createDirectories(home.resolve("cdi")).resolve("nvidia.yaml"), text);
    }

    /// As of a job on two nodes, whose other one is not of the step.
    @Test
    void a_step_on_chosen_nodes_of_a_script_in_a_container_is_in_one_on_each() throws IOException {
        assumeCrun();
        makeImage(rig.work.resolve("image"));
        Path image = rig.work.resolve("image");
        RunId run = HandPlacement.newRun();
        JobSpec spec =
                Jobs.script(
                        run.job(),
                        rig.work,
                        """
                        export SLURM_JOB_NUM_NODES=2 BERTH_STEP_SECRET=none BERTH_STEP_NODES=HERE:2:2,other:2:2
                        cat /mark
                        export A='two words'
                        echo given | srun -N1 -n2 -r0 -l sh -c 'cat /mark; echo "$A" $SLURM_CONTAINER $SLURM_NTASKS; cat; exit $SLURM_PROCID' 2>&1 | sort
                        srun -w HERE -n1 --export=ALL,B='a
                        b' sh -c 'trap "echo heard; exit 9" USR1; echo "$B"; echo up >up; while :; do sleep 0.05; done' 2>/dev/null &
                        until [ -e up ]; do sleep 0.05; done
                        kill -s USR1 $!
                        wait $!; echo $?
                        ls "$BERTH_STEPS" | grep -E 'outside|nodes|signals'
                        """
                                .replace("HERE", node));

        rig.placement.launch(node, run, Jobs.in(image, spec), 512);
        rig.placement.await(Ended.class, run);

        assertThat(rig.output(run))
                .isEqualTo(
                        """
                        inside
                        0: given
                        0: inside
                        0: two words IMAGE 2
                        1: inside
                        1: two words IMAGE 2
                        srun: error: NODE: task 1: Exited with exit code 1
                        a
                        b
                        heard
                        9
                        """
                                .replace("IMAGE", image.toString())
                                .replace("NODE", node));
    }

    @Test
    void a_script_finds_its_gpus_by_uuid_and_slurms_variables() throws IOException {
        RunId run = HandPlacement.newRun();

        run(run, "env | sort", rig.gpu(2), rig.gpu(5));

        Map<String, String> found = new TreeMap<>();
        for (String line : rig.output(run).split("\n")) {
            found.put(line.split("=", 2)[0], line.split("=", 2)[1]);
        }
        assertThat(found)
                .containsEntry("CUDA_VISIBLE_DEVICES", rig.gpu(2) + "," + rig.gpu(5))
                .containsEntry("NVIDIA_VISIBLE_DEVICES", rig.gpu(2) + "," + rig.gpu(5))
                .containsEntry("SLURM_JOB_GPUS", "2,5")
                .containsEntry("SLURM_GPUS_ON_NODE", "2")
                .containsEntry("SLURM_JOB_ID", run.job().toString())
                .containsEntry("SLURM_CLUSTER_NAME", "trial")
                .containsEntry("SLURMD_NODENAME", node)
                .containsEntry("BERTH_LEASE", "1")
                .containsEntry("BERTH_SIMULATED_GPUS", "1")
                .containsEntry("PWD", rig.work.toString())
                .containsKeys("SLURM_TASK_PID", "HOME", "PATH");
    }

    @Test
    void steps_of_a_script_share_its_gpus_out_among_their_tasks() throws IOException {
        RunId run = HandPlacement.newRun();

        run(
                run,
                "srun -O -n2 --gpus-per-task=1 sh -c 'echo $CUDA_VISIBLE_DEVICES >step.$SLURM_PROCID'"
                        + "\nsrun -N1 sh -c 'exit 7' || echo $?",
                rig.gpu(2),
                rig.gpu(5));

        assertThat(rig.work.resolve("step.0")).hasContent(rig.gpu(2));
        assertThat(rig.work.resolve("step.1")).hasContent(rig.gpu(5));
        assertThat(rig.output(run))
                .isEqualTo("srun: error: " + node + ": task 0: Exited with exit code 7\n7\n");
    }

    @Test
    void a_script_without_gpus_sees_none() throws IOException {
        RunId run = HandPlacement.newRun();

        run(run, "echo \"[$CUDA_VISIBLE_DEVICES]\" ${SLURM_JOB_GPUS-none}");

        assertThat(rig.output(run)).isEqualTo("[] none\n");
    }

    @Test
    void values_and_arguments_reach_the_script_as_they_are() throws IOException {
        var environment = new TreeMap<String, String>();
        environment.put("QUOTES", "it's \"quoted\" `here` $(touch pwned) ${HOME}");
        environment.put("LINES", "one\ntwo\n\nfour; touch pwned\n");
        environment.put("DASHES", "-rf --");
        environment.put("UNICODE", "naïve – 深層学習 🚀");
        environment.put("EMPTY", "");
        environment.put("IFS", ":");
        environment.put("UID", "not a number");
        environment.put("OPTIND", "3");
        environment.put("BASH_FUNC_module%%", "() {  echo 'a b'\n}");
        environment.put("odd.name", "dotted");
        var arguments =
                List.of("-x", "--", "a b", "", "'", "$(touch pwned)", "line\nbreak", "*", "é");
        RunId run = HandPlacement.newRun();

        Ended ended =
                run(
                        run,
                        Jobs.with(
                                run.job(),
                                rig.work,
                                "cat /proc/$$/environ > found; printf '%s\\0' \"$@\" > arguments",
                                arguments,
                                environment));

        assertThat(ended.exit()).isEqualTo(ExitStatus.SUCCESS);
        assertThat(Files.readString(rig.work.resolve("found")).split("\0"))
                .contains(
                        environment.entrySet().stream()
                                .map(each -> each.getKey() + "=" + each.getValue())
                                .toArray(String[]::new));
        assertThat(Files.readString(rig.work.resolve("arguments")))
                .isEqualTo(String.join("\0", arguments) + "\0");
        assertThat(rig.work.resolve("pwned")).doesNotExist();
    }

    @Test
    void a_script_cannot_open_a_gpu_that_it_does_not_hold() throws IOException {
        assumeThat(rig.agent().node().inventory().isolation()).contains(Isolation.DEVICES);
        RunId run = HandPlacement.newRun();

        run(
                run,
                "export CUDA_VISIBLE_DEVICES=%s; mknod gpu c 195 0 || cp -a ../home/devices/gpu-195-253 gpu; cat gpu"
                        .formatted(rig.gpu(0)));

        assertThat(rig.output(run)).contains("gpu: Operation not permitted");
        assertThat(placement.await(Started.class, run).isolation()).contains(Isolation.DEVICES);
    }

    @Test
    void a_script_that_opens_all_the_files_that_it_may_is_told_and_costs_nobody_else()
            throws IOException {
        RunId greedy = HandPlacement.newRun();
        String open =
                "while (open(my $f, \"<\", \"/dev/null\")) { push @f, $f } print \"$!\\n\"; sleep 60";
        String body = "ulimit -n 300; exec perl -e '$| = 1; " + open + "'";
        placement.launch(node, greedy, Jobs.script(greedy.job(), rig.work, body), 64);
        await().ignoreException(NoSuchFileException.class)
                .until(() -> rig.output(greedy).equals("Too many open files\n"));
        RunId other = HandPlacement.newRun();

        Ended ended = run(other, "cat /dev/null && srun true");

        assertThat(ended.exit()).isEqualTo(ExitStatus.SUCCESS);
        placement.stop(node, greedy, 0);
        assertThat(placement.await(Ended.class, greedy).cause()).isEqualTo(Cause.STOPPED);
    }

    @Test
    void a_script_is_bound_to_its_cpus() throws IOException {
        assumeThat(rig.agent().node().inventory().isolation()).contains(Isolation.CPUSET);
        RunId run = HandPlacement.newRun();

        run(run, "nproc");

        assertThat(rig.output(run)).isEqualTo("1\n");
    }

    @Test
    void a_script_that_takes_more_than_its_memory_is_out_of_memory() {
        assumeThat(rig.agent().node().inventory().isolation()).contains(Isolation.MEMORY);
        RunId run = HandPlacement.newRun();

        Ended ended = run(run, "x=$(head -c 200000000 /dev/zero | tr '\\0' x)");

        assertThat(ended.cause()).isEqualTo(Cause.OUT_OF_MEMORY);
        assertThat(ended.usage().maxMemoryMib()).isBetween(60L, 64L);
    }

    @Test
    void a_step_is_measured_and_one_that_takes_more_than_its_memory_ends_alone() throws Exception {
        assumeThat(rig.agent().node().inventory().isolation()).contains(Isolation.MEMORY);
        RunId run = HandPlacement.newRun();

        Ended ended =
                run(
                        run,
                        "srun --mem=24M sh -c 'x=$(head -c 99000000 /dev/zero | tr \"\\0\" x)'"
                                + "\nsrun sh -c 'x=$(head -c 8000000 /dev/zero | tr \"\\0\" x)'"
                                + "\nsrun --mem=1G true; echo $?");

        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        List<Step> steps = Objects.requireNonNull(ended.steps()).each();
        assertThat(steps.get(0).outOfMemory()).isTrue();
        assertThat(steps.get(0).maxMemoryMib()).isBetween(20L, 24L);
        assertThat(steps.get(1).outOfMemory()).isNull();
        assertThat(steps.get(1).maxMemoryMib()).isBetween(7L, 63L);
        assertThat(rig.output(run))
                .contains("srun: error: " + node + ": Detected an oom_kill event")
                .endsWith(
                        "srun: error: Unable to create step: its memory, 1024 MiB, is more than the job has here, 64 MiB\n1\n");
    }

    @Test
    void the_tasks_of_a_step_are_measured_one_by_one() throws Exception {
        assumeThat(rig.agent().node().inventory().isolation()).contains(Isolation.MEMORY);
        RunId run = HandPlacement.newRun();

        Ended ended =
                run(
                        run,
                        "srun -O -n3 sh -c '[ $SLURM_PROCID != 1 ] || x=$(head -c 8000000 /dev/zero | tr \"\\0\" x);"
                                + " [ $SLURM_PROCID = 2 ] || { i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; }'");

        Step step = Objects.requireNonNull(ended.steps()).each().getFirst();
        TasksUsage each = Objects.requireNonNull(step.each());
        assertThat(each.tasks()).isEqualTo(3);
        assertThat(each.mostMemory().rank()).isEqualTo(1);
        assertThat(each.mostMemory().amount()).isBetween(7L, 40L);
        assertThat(each.leastCpu().rank()).isEqualTo(2);
        assertThat(each.cpuMillis()).isBetween(1L, Objects.requireNonNull(step.cpuMillis()));
    }

    @Test
    void what_the_tasks_of_a_step_leave_behind_ends_with_it_and_so_do_tasks_whose_srun_is_killed()
            throws Exception {
        assumeThat(rig.agent().node().inventory().isolation()).contains(Isolation.MEMORY);
        RunId run = HandPlacement.newRun();

        run(
                run,
                "srun sh -c 'setsid sleep 60 & echo $! >left'; while kill -0 $(cat left); do sleep 0.05; done; echo gone\n"
                        + "srun sh -c 'echo $$ >task; exec sleep 60' & while [ ! -s task ]; do sleep 0.05; done\n"
                        + "kill -9 $!; while kill -0 $(cat task); do sleep 0.05; done; echo gone");

        assertThat(rig.output(run).lines().filter("gone"::equals)).hasSize(2);
    }

    @Test
    void heartbeats_tell_what_a_step_has_used() {
        assumeThat(rig.agent().node().inventory().isolation()).contains(Isolation.MEMORY);
        RunId run = HandPlacement.newRun();
        String body = "srun true; srun -O -n2 sh -c 'while :; do :; done'";
        placement.launch(node, run, Jobs.script(run.job(), rig.work, body), 64);

        Heartbeat beat =
                placement.awaitHeartbeat(
                        node,
                        it ->
                                it.used().stream()
                                        .filter(used -> used.run().equals(run))
                                        .flatMap(used -> used.steps().stream())
                                        .anyMatch(step ->
                                                step.number() == 1 && step.cpuMillis() > 0));

        assertThat(beat.used().getFirst().steps())
                .singleElement()
                .returns(1, StepUsage::number)
                .returns(2, StepUsage::tasks)
                .returns("sh", StepUsage::name);
    }

    @Test
    void a_task_of_an_array_finds_its_place_and_writes_to_the_file_that_is_called_after_it()
            throws IOException {
        RunId run = HandPlacement.newRun();
        var spec =
                Jobs.spec(
                        run.job(),
                        rig.work.toString(),
                        "echo $SLURM_ARRAY_JOB_ID $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT,"
                                + " $SLURM_ARRAY_TASK_MIN to $SLURM_ARRAY_TASK_MAX",
                        List.of(),
                        Map.of(),
                        "slurm-%A_%a.out",
                        null);
        var task = new ArrayTask(new JobId(90), 7, 3, 5, 9, 2, 0);
        JobDescription job = spec.description().on(JobTerms.NONE.as(task));
        placement.launch(node, run, spec, job, 0);

        placement.await(Ended.class, run);

        assertThat(rig.work.resolve("slurm-90_7.out")).hasContent("90 7 of 3, 5 to 9");
    }

    @Test
    void a_fork_bomb_stays_within_its_bound_disturbs_nobody_and_ends_when_it_is_told_to()
            throws Exception {
        Path pids = Path.of("/sys/fs/cgroup/pids");
        assumeThat(pids).as("a controller that counts processes").isDirectory();
        RunId bomb = HandPlacement.newRun();
        String body = "exec perl -e 'while (1) { fork; select undef, undef, undef, 0.01 }'";
        placement.launch(node, bomb, Jobs.script(bomb.job(), rig.work, body), 256);
        placement.await(Started.class, bomb);
        Path group = pids.resolve(TestConfig.PARENT).resolve(node).resolve(bomb.toString());
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !Files.readString(group.resolve("pids.events")).equals("max 0\n"));

        Ended other = run(HandPlacement.newRun(), "exit 3");
        long before = System.nanoTime();
        placement.stop(node, bomb, 1);
        Ended ended = placement.await(Ended.class, bomb);
        Duration took = Duration.ofNanos(System.nanoTime() - before);

        assertThat(other.exit()).isEqualTo(new ExitStatus(3, 0));
        assertThat(ended.cause()).isIn(Cause.STOPPED, Cause.OUT_OF_MEMORY);
        assertThat(took).isLessThan(Duration.ofSeconds(20));
        assertThat(group).doesNotExist();
    }

    @Test
    void cpu_time_is_counted() {
        assumeThat(rig.agent().node().inventory().isolation()).contains(Isolation.CPUSET);
        RunId run = HandPlacement.newRun();

        Ended ended = run(run, "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");

        assertThat(ended.usage().cpuMillis()).isPositive();
    }

    @Test
    void heartbeats_tell_what_a_running_script_has_used() {
        assumeThat(rig.agent().node().inventory().isolation()).contains(Isolation.MEMORY);
        RunId run = HandPlacement.newRun();
        placement.launch(node, run, Jobs.script(run.job(), rig.work, "while :; do :; done"), 64);

        Heartbeat beat =
                placement.awaitHeartbeat(
                        node,
                        it ->
                                it.used().stream()
                                        .anyMatch(used ->
                                                used.run().equals(run)
                                                        && used.used().cpuMillis() > 0));

        assertThat(beat.used()).singleElement().returns(run, RunUsage::run);
        assertThat(beat.used().getFirst().used().maxMemoryMib()).isBetween(0L, 64L);
    }

    @Test
    void output_and_error_go_to_the_files_that_their_patterns_name() throws IOException {
        RunId run = HandPlacement.newRun();
        Path existing = rig.work.resolve("train-alice.out");
        Files.writeString(existing, "of an earlier job, and longer than what comes\n");

        run(
                run,
                Jobs.spec(
                        run.job(),
                        rig.work.toString(),
                        "echo out; echo err >&2",
                        List.of(),
                        Map.of(),
                        "%x-%u.out",
                        "%N-%n.err"));

        assertThat(existing).hasContent("out");
        assertThat(rig.work.resolve(node + "-0.err")).hasContent("err");
    }

    @ParameterizedTest
    @CsvSource({
        "/nowhere/at/all,slurm.out,working directory /nowhere/at/all does not exist",
        "WORK,missing/slurm.out,missing/slurm.out: its folder does not exist",
        "WORK,.,cannot open the output file"
    })
    void a_run_that_cannot_be_prepared_fails_with_one_clear_line(
            String directory, String output, String message) {
        RunId run = HandPlacement.newRun();
        String folder = directory.equals("WORK") ? rig.work.toString() : directory;

        Ended ended =
                run(run, Jobs.spec(run.job(), folder, "exit 0", List.of(), Map.of(), output, null));
        rig.awaitForgotten();

        assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(ended.message()).contains(message).doesNotContain("\n");
        assertThat(rig.config.home().resolve("nodes").resolve(node).resolve("runs"))
                .isEmptyDirectory();
    }

    @Test
    void a_launch_is_a_span_of_the_request_that_submitted_the_job() throws Exception {
        TraceContext request = TraceContext.root();
        RunId run = HandPlacement.newRun();
        Path home = Files.createDirectories(folder.resolve("traced/home"));
        try (var collector = TraceCollector.start()) {
            Files.writeString(home.resolve("traces-endpoint"), collector.endpoint().toString());
            try (var traced = new AgentRig(folder.resolve("traced"))) {
                placement.register(traced.node);
                JobSpec spec =
                        Jobs.with(
                                run.job(),
                                traced.work,
                                "echo $TRACEPARENT",
                                List.of(),
                                Map.of(TraceContext.VARIABLE, request.toString()));

                placement.launch(traced.node, run, spec, 64);
                placement.await(Ended.class, run);

                assertThat(traced.output(run).strip()).isEqualTo(request.toString());
            }
            assertThat(collector.bodies())
                    .singleElement()
                    .asString()
                    .contains("\"traceId\":\"" + request.traceId() + "\"")
                    .contains("\"parentSpanId\":\"" + request.spanId() + "\"")
                    .contains("\"name\":\"launch\"", "{\"stringValue\":\"" + run + "\"}");
        }
    }

    @Test
    void a_specification_with_another_hash_is_not_launched() {
        RunId run = HandPlacement.newRun();
        SpecReference written =
                placement.writeSpec(Jobs.script(run.job(), rig.work, "touch launched"));
        var altered = new SpecReference(written.partition(), written.offset(), "0".repeat(64));

        placement.launch(node, run, altered, LaunchMode.BATCH, false, here(), 0);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(ended.message()).contains("SHA-256");
        assertThat(rig.work).isEmptyDirectory();
    }

    @Test
    void a_specification_that_another_key_has_sealed_is_not_launched() {
        RunId run = HandPlacement.newRun();
        SpecReference written =
                placement.writeSpec(Jobs.script(run.job(), rig.work, "touch launched"));

        placement.launch(node, run, written.by(Sealed.key()), LaunchMode.BATCH, false, here(), 0);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(ended.message()).contains("cannot be opened");
        assertThat(rig.work).isEmptyDirectory();
    }

    @Test
    void a_specification_that_cannot_be_read_is_not_launched() throws Exception {
        RunId run = HandPlacement.newRun();
        byte[] value = "{".getBytes(StandardCharsets.UTF_8);
        var record = new ProducerRecord<>(Topics.SPECS.name(), 0, new byte[] {'1'}, value);
        long offset = placement.write(record).offset();
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(value);
        var corrupt = new SpecReference(0, offset, HexFormat.of().formatHex(hash));

        placement.launch(node, run, corrupt, LaunchMode.BATCH, false, here(), 0);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(ended.message()).contains("not readable");
    }

    @Test
    void a_gpu_that_the_node_does_not_have_is_not_launched_on() {
        RunId run = HandPlacement.newRun();

        Ended ended = run(run, "exit 0", "GPU-of-another-node");

        assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(ended.message()).contains("GPU-of-another-node");
    }

    @Test
    void a_shim_that_is_killed_costs_the_run_its_status_and_its_processes() throws Exception {
        RunId run = HandPlacement.newRun();
        placement.launch(
                node, run, Jobs.script(run.job(), rig.work, "echo $$ > pid; exec sleep 60"), 64);
        placement.await(Started.class, run);
        Awaitility.await()
                .until(() ->
                        Files.exists(rig.work.resolve("pid"))
                                && Files.size(rig.work.resolve("pid")) > 0);
        Path spool = rig.config.home().resolve("nodes/" + node + "/runs/" + run);
        long shim = Long.parseLong(Files.readString(spool.resolve("shim")).split(" ")[0]);

        ProcessHandle.of(shim).orElseThrow().destroyForcibly();
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.STATUS_LOST);
        long task = Long.parseLong(Files.readString(rig.work.resolve("pid")).strip());
        assertThat(LiveProcess.stat(task))
                .matches(stat -> stat.isEmpty() || stat.get().state() == 'Z');
    }

    @Test
    void a_shim_that_somebody_stops_goes_on_and_tells_how_its_task_ended() throws Exception {
        RunId run = HandPlacement.newRun();
        var script = "until [ -e over ]; do sleep 0.1; done; exit 7";
        placement.launch(node, run, Jobs.script(run.job(), rig.work, script), 64);
        placement.await(Started.class, run);
        Path spool = rig.config.home().resolve("nodes/" + node + "/runs/" + run);
        long shim = Long.parseLong(Files.readString(spool.resolve("shim")).split(" ")[0]);

        int stop = 19;
        Signals.send(shim, stop);
        Files.createFile(rig.work.resolve("over"));
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.exit()).isEqualTo(new ExitStatus(7, 0));
    }

    private List<Allocation> here() {
        return List.of(new Allocation(new NodeName(node), 0, 1, IndexSet.firstN(1), 64, List.of()));
    }

    @Test
    void what_is_no_program_cannot_be_given_a_nul() {
        RunId run = HandPlacement.newRun();
        var environment = Map.of("BROKEN", "a\0b");

        Ended ended = run(run, Jobs.with(run.job(), rig.work, "true", List.of(), environment));

        assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(ended.message()).isEqualTo("a NUL cannot be given to a program");
    }
}
