package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobState;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobEvent;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Jobs of many kinds, what people and bad luck do to them, and what may then have become of each.
/// A seed draws all that; it cannot draw whether something comes in time, so that more than one end
/// may be right.
final class ChaosJobs {

    private static final String START = "start";
    private static final String END = "end";

    /// Writes on each node that it runs on which run it is, when that starts and when it ends.
    private static final String SCRIPT =
            """
            #!/bin/sh
            trace() { echo "$1 ${SLURM_RESTART_COUNT:-0} $$" >>"trace-$SLURM_JOB_ID.$SLURM_NODEID"; }
            trace start
            %s || exit
            trace end
            """;

    private static final String ENDLESS = "sleep 3000";
    private static final String OVER_ALL = "srun sleep 5";
    private static final List<String> WORK =
            List.of("sleep 2", "sleep 10", "srun -N1 -n1 sleep 5", OVER_ALL, ENDLESS);

    /// What was done to a job, be it in time or too late.
    private enum Deed {
        CANCELLED,
        REQUEUED,
        /// Its shim was killed, or what holds it open on a node without its script.
        LOST,
        /// Its script was killed, or what that started.
        STRUCK
    }

    private enum Act {
        CANCEL,
        REQUEUE,
        KILL_SHIM,
        STOP_SHIM,
        KILL_PROCESS,
        STOP_PROCESS,
        KILL_FORKER
    }

    /// What is asked for.
    ///
    /// @param everywhere whether the script runs on each of the nodes
    private record Asked(
            int nodes, int gpus, boolean everywhere, String work, boolean requeue, int tasks) {

        static Asked drawn(Random random) {
            int nodes = random.nextInt(3) == 0 ? 2 + random.nextInt(3) : 1;
            String work = WORK.get(random.nextInt(WORK.size()));
            return new Asked(
                    nodes,
                    1 + random.nextInt(nodes == 1 ? 2 : 4),
                    // Such a step is refused where the script runs on each node.
                    nodes > 1 && !work.equals(OVER_ALL) && random.nextBoolean(),
                    work,
                    random.nextInt(4) > 0,
                    random.nextInt(6) == 0 ? 2 + random.nextInt(4) : 1);
        }

        Map<String, Object> job() {
            var job = new HashMap<String, Object>();
            job.put("script", SCRIPT.formatted(work));
            job.put("nodes", nodes);
            job.put("gpusPerNode", gpus);
            job.put("launch", everywhere ? "PER_NODE" : "BATCH");
            job.put("requeue", requeue);
            job.put("timeLimitSeconds", 3600);
            if (tasks > 1) {
                job.put("terms", Map.of("array", "0-" + (tasks - 1)));
            }
            return job;
        }

        boolean endless() {
            return work.equals(ENDLESS);
        }

        boolean gang() {
            return nodes > 1;
        }

        int scripts() {
            return everywhere ? nodes : 1;
        }
    }

    /// A job that was accepted.
    private static final class Accepted {
        private final long id;

        /// As people call it: a task by its array.
        private final String name;

        private final Asked asked;
        private final Set<Deed> deeds = EnumSet.noneOf(Deed.class);
        private boolean cancelled;

        private Accepted(long id, String name, Asked asked) {
            this.id = id;
            this.name = name;
            this.asked = asked;
        }
    }

    private final TestMesh mesh;
    private final Workload workload;
    private final Random random;
    private final List<Accepted> jobs = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    ChaosJobs(TestMesh mesh, Workload workload, Random random) {
        this.mesh = mesh;
        this.workload = workload;
        this.random = random;
    }

    /// Submits at least so many.
    void submit(int count) throws IOException {
        while (jobs.size() < count) {
            var asked = Asked.drawn(random);
            long id = workload.submit(asked.job());
            if (asked.tasks() == 1) {
                jobs.add(new Accepted(id, Long.toString(id), asked));
            } else {
                workload.tasks(id, asked.tasks())
                        .forEach(task ->
                                jobs.add(
                                        new Accepted(
                                                task.path("id").asLong(),
                                                id + "_" + task.path("arrayTask").asInt(),
                                                asked)));
            }
        }
    }

    /// Does so many things to them, one after the other.
    void trouble(int times) throws IOException, InterruptedException {
        for (int i = 0; i < times; i++) {
            TimeUnit.MILLISECONDS.sleep(random.nextInt(3_000));
            Act act = Act.values()[random.nextInt(Act.values().length)];
            switch (act) {
                case CANCEL -> cancel(drawn());
                case REQUEUE -> requeue();
                case KILL_SHIM -> killShim();
                case STOP_SHIM -> stopShim();
                case KILL_PROCESS -> killProcess();
                case STOP_PROCESS -> stopProcess();
                case KILL_FORKER -> killForker();
            }
        }
    }

    /// What was done to them.
    List<String> told() {
        return told;
    }

    /// Half of the time one that holds nodes, if there is one.
    private Accepted drawn() {
        Accepted any = jobs.get(random.nextInt(jobs.size()));
        return random.nextBoolean() ? run().map(this::of).orElse(any) : any;
    }

    /// One of an array now and then with all others of it.
    private void cancel(Accepted job) throws IOException {
        boolean all = job.asked.tasks() > 1 && random.nextBoolean();
        String name = all ? job.name.substring(0, job.name.indexOf('_')) : job.name;
        List<Accepted> meant =
                jobs.stream()
                        .filter(it -> it.name.equals(name) || it.name.startsWith(name + "_"))
                        .toList();
        meant.forEach(it -> it.deeds.add(Deed.CANCELLED));
        var outcome = mesh.berth("scancel", name);
        meant.forEach(it -> it.cancelled |= outcome.status() == 0);
        told.add("scancel " + name + " exited with " + outcome.status());
    }

    private void requeue() throws IOException {
        Optional<File> run = run();
        if (run.isPresent()) {
            Accepted job = of(run.get());
            if (job.asked.requeue()) {
                job.deeds.add(Deed.REQUEUED);
            }
            int status = mesh.berth("scontrol", "requeue", job.name).status();
            told.add("scontrol requeue " + job.name + " exited with " + status);
        }
    }

    private void killShim() throws IOException {
        Optional<File> run = run();
        Optional<ProcessHandle> shim = run.flatMap(it -> process(it, "shim", 0));
        if (shim.isPresent()) {
            of(run.orElseThrow()).deeds.add(Deed.LOST);
            shim.get().destroyForcibly();
            told.add("the shim of " + place(run.get()) + " was killed");
        }
    }

    /// It is the agent's to tell it to go on.
    private void stopShim() throws IOException {
        Optional<File> run = run();
        Optional<ProcessHandle> shim = run.flatMap(it -> process(it, "shim", 0));
        if (shim.isPresent() && TestMesh.signalled("STOP", shim.get().pid())) {
            told.add("the shim of " + place(run.orElseThrow()) + " was stopped");
        }
    }

    private void killProcess() throws IOException {
        Optional<File> run = run();
        Optional<ProcessHandle> process = run.flatMap(this::ofScript);
        if (process.isPresent()) {
            Accepted job = of(run.orElseThrow());
            job.deeds.add(Deed.STRUCK);
            if (job.asked.gang() && !job.asked.everywhere()) {
                job.deeds.add(Deed.LOST);
            }
            process.get().destroyForcibly();
            told.add("a process of " + place(run.get()) + " was killed");
        }
    }

    private void stopProcess() throws IOException, InterruptedException {
        Optional<File> run = run();
        Optional<ProcessHandle> process = run.flatMap(this::ofScript);
        if (process.isPresent() && TestMesh.signalled("STOP", process.get().pid())) {
            TimeUnit.MILLISECONDS.sleep(random.nextInt(3_000));
            TestMesh.signalled("CONT", process.get().pid());
            told.add("a process of " + place(run.orElseThrow()) + " stood still");
        }
    }

    /// Of it the agent has the shims forked, which are called like it and each in a run's folder.
    private void killForker() {
        String forker = mesh.home().spool().resolve("shim") + " --serve ";
        ProcessHandle.allProcesses()
                .filter(it -> it.info().commandLine().orElse("").startsWith(forker))
                .filter(it -> !folder(it.pid()).toString().contains("/runs/"))
                .findAny()
                .ifPresent(it -> {
                    it.destroyForcibly();
                    told.add("what forks the shims was killed");
                });
    }

    /// Where a process works; the root for one that is gone.
    private static Path folder(long pid) {
        try {
            return Path.of("/proc", Long.toString(pid), "cwd").toRealPath();
        } catch (IOException e) {
            return Path.of("/");
        }
    }

    /// The folder of a run of theirs that is on a node now.
    private Optional<File> run() {
        List<File> runs =
                runs().filter(run -> jobs.stream().anyMatch(it -> it.id == id(run))).toList();
        return runs.isEmpty()
                ? Optional.empty()
                : Optional.of(runs.get(random.nextInt(runs.size())));
    }

    /// All on nodes, also those of others.
    private Stream<File> runs() {
        return content(mesh.home().spool().resolve("nodes").toFile())
                .flatMap(node -> content(new File(node, "runs")))
                .sorted();
    }

    private static Stream<File> content(File folder) {
        File[] files = folder.listFiles();
        return files == null ? Stream.of() : Stream.of(files);
    }

    private Accepted of(File run) {
        return jobs.stream().filter(it -> it.id == id(run)).findAny().orElseThrow();
    }

    private static long id(File run) {
        return Long.parseLong(run.getName().substring(0, run.getName().indexOf('.')));
    }

    /// Such as `17.1 on dgx-a100-02`.
    private static String place(File run) {
        String[] folders = run.getPath().split("/");
        return run.getName() + " on " + folders[folders.length - 3];
    }

    /// The run's script, or what came from it.
    private Optional<ProcessHandle> ofScript(File run) {
        return process(run, "ready", 1)
                .map(script ->
                        Stream.concat(Stream.of(script), script.descendants())
                                .sorted(Comparator.comparingLong(ProcessHandle::pid))
                                .toList())
                .map(all -> all.get(random.nextInt(all.size())));
    }

    /// The process of which a word of a run's file is the number, if it is there.
    private Optional<ProcessHandle> process(File run, String file, int word) {
        try {
            String text = Files.readString(run.toPath().resolve(file));
            long pid = Long.parseLong(text.split("\\s+")[word]);
            return Stream.of(mesh.work(), run.toPath()).anyMatch(folder(pid)::equals)
                    ? ProcessHandle.of(pid)
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Cancels what would go on for ever, waits until all have ended, and asserts that each ended
    /// as it may, that the books have it, that no invariant is broken, and that all is free.
    void assertRightEnds() throws IOException {
        for (Accepted job : jobs) {
            if (job.asked.endless() && !job.cancelled) {
                job.deeds.add(Deed.CANCELLED);
                workload.eventually(
                        () -> assertThat(mesh.berth("scancel", job.name).status()).isZero());
            }
        }
        List<Long> ids = jobs.stream().map(it -> it.id).toList();
        assertThat(ids).doesNotHaveDuplicates();
        workload.awaitEnded(ids, ids.size());
        JobsAudit audit = workload.audited(ids);
        for (Accepted job : jobs) {
            assertRightEnd(job, audit.end(job.id));
        }
        awaitAllFree();
    }

    private void assertRightEnd(Accepted job, JobEvent.Ended end) throws IOException {
        String what =
                "job %s, %s, %s: %s; its output: %s"
                        .formatted(job.name, job.asked, job.deeds, end, output(job.id));
        assertThat(end.state()).as(what).isIn(possible(job));
        if (end.state() == JobState.FAILED && !job.deeds.contains(Deed.STRUCK)) {
            assertThat(end.reason()).as(what).isEqualTo(Reason.JOB_LAUNCH_FAILURE);
        }
        if (!job.deeds.contains(Deed.REQUEUED) && !job.deeds.contains(Deed.LOST)) {
            assertThat(end.runs()).as(what).hasSizeLessThan(2);
        }
        for (int node = 0; node < job.asked.scripts(); node++) {
            assertTrace(what, trace(job.id, node), end);
        }
    }

    private static Set<JobState> possible(Accepted job) {
        var possible = EnumSet.noneOf(JobState.class);
        if (!job.asked.endless()) {
            possible.add(JobState.COMPLETED);
        }
        if (job.deeds.contains(Deed.CANCELLED)) {
            possible.add(JobState.CANCELLED);
        }
        if (job.deeds.contains(Deed.LOST) && !job.asked.requeue()) {
            possible.add(JobState.NODE_FAIL);
        }
        // Before its script begins, a job whose shim dies has failed.
        if (job.deeds.contains(Deed.LOST) || job.deeds.contains(Deed.STRUCK)) {
            possible.add(JobState.FAILED);
        }
        return possible;
    }

    private List<String> output(long id) throws IOException {
        Path output = mesh.work().resolve("slurm-" + id + ".out");
        return Files.exists(output) ? Files.readAllLines(output) : List.of();
    }

    private List<String> trace(long id, int node) throws IOException {
        Path trace = mesh.work().resolve("trace-" + id + "." + node);
        return Files.exists(trace) ? Files.readAllLines(trace) : List.of();
    }

    /// Each run starts once at most, after those before it, and writes nothing once a later one has
    /// started; the last one of a job that has completed went through its script.
    private static void assertTrace(String what, List<String> lines, JobEvent.Ended end) {
        int run = -1;
        String before = "";
        for (String line : lines) {
            String[] words = line.split(" ");
            if (words[0].equals(START)) {
                assertThat(Integer.parseInt(words[1])).as("%s: %s", what, lines).isGreaterThan(run);
                run = Integer.parseInt(words[1]);
            } else {
                assertThat(line).as("%s: %s", what, lines).isEqualTo(before.replace(START, END));
            }
            before = line;
        }
        assertThat(run).as("%s: %s", what, lines).isLessThan(end.runs().size());
        if (end.state() == JobState.COMPLETED) {
            assertThat(before)
                    .as("%s: %s", what, lines)
                    .startsWith(END + " " + (end.runs().size() - 1) + " ");
        }
    }

    /// Waits until no node holds anything, by what is told of it and on its disk.
    private void awaitAllFree() {
        workload.eventually(() -> {
            assertThat(mesh.operator().get("/v1/nodes").path("nodes"))
                    .isNotEmpty()
                    .allMatch(it ->
                            it.path("gpusAllocated").asInt() == 0
                                    && it.path("cpusAllocated").asInt() == 0
                                    && it.path("memoryAllocatedMib").asLong() == 0);
            assertThat(runs()).isEmpty();
        });
    }
}
