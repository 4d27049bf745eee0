package io.berth.agent;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.RunId;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What jobs with steps of all kinds leave of themselves where they ran: nothing. As many as
/// `-Dberth.jobs` says.
@Timeout(1800)
class LeftBehindTest {

    private static final int JOBS = Integer.getInteger("berth.jobs", 8);
    private static final int AT_ONCE = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /// What other tests of this process may have open beside these.
    private static final int OPEN_BESIDE = 30;

    /// Steps whose tasks are bound to CPUs and to GPUs, one that leaves a process behind, one that
    /// is killed, one with a container of its own where there is a runtime, and one of several
    /// programs.
    private static final String BODY =
            """
            export TMPDIR=$PWD/tmp-$SLURM_JOB_ID; mkdir $TMPDIR
            srun -O -n4 --cpu-bind=map_cpu:$(taskset -cp $$ | sed 's/.*: *//; s/[,-].*//') true || exit
            srun -O -n2 --gpus=2 --gpu-bind=single:1 --mem=32 sh -c 'cat /dev/null; setsid sleep 300 &' || exit
            srun -n1 --overlap sh -c 'echo $$ >task-$SLURM_JOB_ID; exec sleep 300' & srun=$!
            until [ -s task-$SLURM_JOB_ID ]; do sleep 0.02; done
            kill -9 $srun
            [ ! -x /usr/bin/crun ] || srun --container=image cat /mark || exit
            printf '0-1 cat /dev/null\\n' >multi-$SLURM_JOB_ID; srun -O -n2 -l -o out-%J --multi-prog multi-$SLURM_JOB_ID || exit
            rmdir $TMPDIR || exit
            rm task-$SLURM_JOB_ID multi-$SLURM_JOB_ID out-$SLURM_JOB_ID.*
            """;

    @TempDir Path folder;
    private AgentRig rig;

    @BeforeEach
    void start() throws Exception {
        Path crun = Files.createDirectories(folder.resolve("home")).resolve("crun");
        LaunchTest.writeCrun(crun);
        rig = new AgentRig(folder);
        LaunchTest.makeImage(rig.work.resolve("image"));
        rig.awaitEpoch();
    }

    @AfterEach
    void stop() throws IOException {
        rig.close();
    }

    @Test
    void jobs_with_steps_leave_nothing_of_themselves() throws Exception {
        endOf(launched());
        rig.awaitForgotten();
        Set<Path> homeBefore = there(rig.config.home());
        int openBefore = open().size();
        Set<Long> processesBefore = processes();

        var running = new ArrayDeque<RunId>();
        for (int job = 0; job < JOBS; job++) {
            running.add(launched());
            if (running.size() == AT_ONCE) {
                endOf(running.remove());
            }
        }
        while (!running.isEmpty()) {
            endOf(running.remove());
        }
        rig.awaitForgotten();

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(processes()).isEqualTo(processesBefore));
        assertThat(groups()).isEmpty();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(there(rig.config.home())).isEqualTo(homeBefore));
        await().atMost(PATIENCE)
                .untilAsserted(() -> {
                    System.gc();
                    assertThat(open()).hasSizeLessThan(openBefore + OPEN_BESIDE);
                });
        // Those that are on groups have gone with these.
        assertThat(open()).noneMatch(it -> it.contains("bpf"));
        assertThat(there(rig.work).stream().map(it -> it.getFileName().toString()))
                .allMatch(it -> it.matches("slurm-[0-9]+\\.out|image"));
    }

    private RunId launched() {
        RunId run = HandPlacement.newRun();
        rig.placement.launch(
                rig.node, run, Jobs.script(run.job(), rig.work, BODY), 256, rig.gpu(0), rig.gpu(1));
        return run;
    }

    private void endOf(RunId run) throws IOException {
        await().atMost(PATIENCE)
                .until(() -> rig.placement.reports(run).stream().anyMatch(Ended.class::isInstance));
        Ended ended = rig.placement.await(Ended.class, run);
        assertThat(ended.cause()).as(rig.output(run)).isEqualTo(Cause.EXITED);
        assertThat(ended.exit().successful()).as(rig.output(run)).isTrue();
        Files.deleteIfExists(rig.work.resolve("slurm-" + run.job() + ".out"));
    }

    /// What is in a folder, and in those in it but for the image and what is kept of jobs that are
    /// over.
    private static Set<Path> there(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(it -> !it.equals(folder))
                    .filter(it -> !it.toString().matches(".*/image/.*|.*/outputs(/.*)?"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /// What this process has open, programs in the kernel among it.
    private static List<String> open() throws IOException {
        var open = new ArrayList<String>();
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            for (Path each : all.toList()) {
                try {
                    open.add(Files.readSymbolicLink(each).toString());
                } catch (NoSuchFileException e) {
                    // It was closed meanwhile.
                }
            }
        }
        return open;
    }

    /// Those that name this test's folder, be they this process's children or not.
    private Set<Long> processes() throws IOException {
        var found = new TreeSet<Long>();
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            for (Path process : all.toList()) {
                String name = process.getFileName().toString();
                if (name.matches("[0-9]+")
                        && Long.parseLong(name) != ProcessHandle.current().pid()
                        && names(process)) {
                    found.add(Long.valueOf(name));
                }
            }
        }
        return found;
    }

    private boolean names(Path process) {
        try {
            return Files.readString(process.resolve("cmdline"), ISO_8859_1)
                            .contains(folder.toString())
                    || Files.readSymbolicLink(process.resolve("cwd")).startsWith(folder);
        } catch (IOException e) {
            return false;
        }
    }

    /// Of this node's runs.
    private List<Path> groups() throws IOException {
        var left = new ArrayList<Path>();
        for (String line : Files.readAllLines(Path.of("/proc/self/mounts"))) {
            String[] fields = line.split(" ");
            Path group = Path.of(fields[1], rig.config.cgroupParent(), rig.node);
            if (fields[2].startsWith("cgroup") && Files.exists(group)) {
                try (Stream<Path> all = Files.list(group)) {
                    all.filter(Files::isDirectory).forEach(left::add);
                } catch (NoSuchFileException e) {
                    // It went meanwhile.
                }
            }
        }
        return left;
    }
}
