package io.berth.agent.launch;

import io.berth.agent.container.OciConfig.Program;
import io.berth.agent.group.Bindings;
import io.berth.agent.group.DeviceRules;
import io.berth.agent.group.Group;
import io.berth.agent.group.Groups;
import io.berth.agent.group.Limits;
import io.berth.agent.group.RunMark;
import io.berth.agent.host.DeviceFile;
import io.berth.agent.host.LocalNode;
import io.berth.agent.launch.Containers.InContainer;
import io.berth.agent.launch.ProbeDevices.Trial;
import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuShare.Enforcement;
import io.berth.contracts.Gres;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.RunId;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.StepRequest;
import io.berth.log.trace.Spans;
import io.berth.log.trace.TraceContext;
import io.berth.slurm.FilenamePattern;
import io.berth.slurm.ResourceLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Brings a run's part up to the point where only the word to go is missing.
///
/// @param rules of the drivers that are loaded when a run is launched
/// @param maxProcesses of a run's part on a node; 0 is without a limit
/// @param gpusWithoutIsolation whether runs get real GPUs where it is not proven that they open no
///   others
/// @param accounts under which scripts run
/// @param spans where those of launches go
public record Launcher(
        Groups groups,
        DeviceRules.Source rules,
        ProbeDevices probes,
        Shims shims,
        SpoolWatch watch,
        Specs specs,
        Hooks hooks,
        String clusterName,
        int maxProcesses,
        boolean gpusWithoutIsolation,
        Accounts accounts,
        Mps mps,
        Containers containers,
        Spans spans) {

    /// How long a task may take to stand ready: forking is slow on a machine under pressure.
    private static final long READY_SECONDS = 30;

    private static final long TICK_MILLIS = 250;

    private static final String SCRIPT = "script";

    private static final String UNISOLATED =
            "the node cannot keep a job from the GPUs of others, and berth.agent.gpus-without-isolation is not set";

    /// A part whose task stands in its group and waits for the word.
    ///
    /// @param enforced what limits it to its part of a GPU; null if it holds no part
    /// @param trace in which the job was submitted; null if it is in none, or not known any more
    public record Prepared(
            Group group,
            Set<Isolation> isolation,
            @Nullable Enforcement enforced,
            @Nullable TraceContext trace) {

        private Prepared in(@Nullable TraceContext other) {
            return new Prepared(group, isolation, enforced, other);
        }
    }

    /// Whether shims can end a run by themselves: they are programs, and find its processes in
    /// control groups.
    public boolean canFence() {
        return shims.kind() == Shims.Kind.PROGRAM && groups.heldByKernel();
    }

    /// The same with other groups.
    public Launcher in(Groups others) {
        return new Launcher(
                others,
                rules,
                probes,
                shims,
                watch,
                specs,
                hooks,
                clusterName,
                maxProcesses,
                gpusWithoutIsolation,
                accounts,
                mps,
                containers,
                spans);
    }

    /// Makes files, group and task.
    ///
    /// @throws LaunchRefused if it cannot be done; files and group are the caller's to remove
    public Prepared prepare(LocalNode node, Launch launch, RunFiles files)
            throws LaunchRefused, InterruptedException {
        JobSpec spec = specs.read(launch.spec());
        try {
            hooks.before(node, launch, job(launch, spec), files);
            Account account = accounts.of(job(launch, spec).user());
            if (accounts.bounded()) {
                files.job().bound();
            }
            try (FileTrial trial = trial(node, launch, spec, account, files)) {
                String start =
                        launch.runsScript()
                                ? script(node, launch, spec, account, files)
                                : holder(node, launch, spec, account, files);
                Prepared prepared =
                        start(
                                node,
                                launch.run(),
                                launch.here(),
                                ImexChannel.of(node, launch),
                                start,
                                files);
                trial.await();
                return prepared.in(
                        TraceContext.parse(spec.environment().get(TraceContext.VARIABLE))
                                .orElse(null));
            }
        } catch (IOException e) {
            throw new LaunchRefused("cannot prepare the run: " + e.getMessage(), e);
        }
    }

    /// Reads what a script wrote, under its account.
    ///
    /// @param error whether from the file for errors
    /// @param from the first byte; negative counts from the end
    /// @throws LaunchRefused if there is no such account any more
    public OutputReading read(Outputs.Kept kept, boolean error, long from)
            throws LaunchRefused, IOException, InterruptedException {
        return shims.readOutput(
                accounts.of(kept.user()), Path.of(error ? kept.error() : kept.output()), from);
    }

    /// Runs nothing in a group of its own and tells what the host enforced and let be verified.
    ///
    /// @param files in a folder as deep as a run's
    public Set<Isolation> trial(LocalNode node, RunFiles files)
            throws IOException, InterruptedException {
        var trial = new RunId(new JobId(1), Integer.MAX_VALUE);
        IndexSet cpus = node.virtual() ? IndexSet.EMPTY : IndexSet.firstN(1);
        var allocation = new Allocation(node.name(), 0, 1, cpus, 64, List.of());
        Group group = groups.find(node.name(), trial);
        try {
            Prepared prepared =
                    start(
                            node.enforcing(Set.of()),
                            trial,
                            allocation,
                            OptionalInt.empty(),
                            "exit 0\n",
                            files);
            files.release();
            await(files, "exit");
            return prepared.isolation();
        } catch (LaunchRefused e) {
            throw new IOException("a trial run did not start: " + e.getMessage(), e);
        } finally {
            group.kill();
            group.remove();
        }
    }

    /// Begins to try the folder and the files of a script, under its account, which takes programs
    /// and goes on beside the rest.
    private FileTrial trial(
            LocalNode node, Launch launch, JobSpec spec, Account account, RunFiles files)
            throws LaunchRefused {
        if (!launch.runsScript() || !account.switched()) {
            return FileTrial.NONE;
        }
        Path directory = Path.of(spec.workingDirectory());
        OutputFiles output = OutputFiles.of(spec, pattern(node, launch, spec));
        return FileTrial.begin(() ->
                shims.tryFiles(
                        files,
                        account,
                        directory,
                        output,
                        spec.appendOutput(),
                        name -> await(files, name)));
    }

    /// The text by which the task turns into the script, under its account; empty if the shim does
    /// that.
    private String script(
            LocalNode node, Launch launch, JobSpec spec, Account account, RunFiles files)
            throws LaunchRefused, IOException, InterruptedException {
        Path directory = Path.of(spec.workingDirectory());
        OutputFiles output = OutputFiles.of(spec, pattern(node, launch, spec));
        if (!account.switched()) {
            if (!directory.isAbsolute() || !Files.isDirectory(directory)) {
                throw new LaunchRefused("working directory " + directory + " does not exist");
            }
            output.open(spec.appendOutput());
        }
        Outputs.beside(files.folder().resolve("..").normalize())
                .keep(
                        new Outputs.Kept(
                                launch.run().job(),
                                job(launch, spec).user(),
                                output.output().toString(),
                                output.error().toString(),
                                spec.key()));
        files.job().makeCheckpoint();
        InContainer what = what(node, launch, spec, account, files);
        String before = mps.start(node, launch.here());
        boolean shells =
                !account.switched()
                        || shims.kind() == Shims.Kind.SHELL
                        || !before.isEmpty()
                        || !ResourceLimit.text(what.variables()).isEmpty();
        String begin =
                shells
                        ? StartScript.of(
                                directory, what.variables(), output, before, what.command())
                        : StartScript.words(directory, what.variables(), output, what.command());
        if (!account.switched()) {
            return begin;
        }
        files.job().write(JobFiles.BEGIN, begin);
        var given = new ArrayList<>(List.of(SCRIPT, JobFiles.BEGIN, JobFiles.CHECKPOINT));
        given.addAll(foldersOfSteps());
        mps.folder(node, launch.here()).ifPresent(given::add);
        given.addAll(what.given());
        files.job().giveTo(account, given);
        return shims.beginAs(account, files);
    }

    /// The script, and what stands around it if it runs in a container.
    private InContainer what(
            LocalNode node, Launch launch, JobSpec spec, Account account, RunFiles files)
            throws LaunchRefused, IOException, InterruptedException {
        Map<String, String> variables = environment(node, launch, spec, account, files);
        List<String> command = command(spec, files);
        if (spec.container() == null) {
            return new InContainer(variables, command, List.of());
        }
        var part = new Containers.Part(node, launch, account, shims, files);
        var script = new Program(variables, Path.of(spec.workingDirectory()), command, null);
        return containers.script(Path.of(spec.container()), part, script);
    }

    /// The shell text by which a step's `srun` turns into the runtime of a container in which it
    /// runs once more.
    ///
    /// @param srun its process
    /// @throws LaunchRefused if it cannot; it says why
    public String intoContainer(
            Path container, LocalNode node, Launch launch, RunFiles files, StepCommand srun)
            throws LaunchRefused, IOException, InterruptedException {
        Account account = account(launch);
        var part = new Containers.Part(node, launch, account, shims, files);
        InContainer what = containers.srun(container, part, srun);
        if (account.switched()) {
            files.job().giveTo(account, what.given());
        }
        return StartScript.turningInto(srun.variables(), what.variables(), what.command());
    }

    /// Starts what leads a step on several nodes, in a run that has begun, under its account and in
    /// its group, and outside of the container of its script.
    ///
    /// @param srun that asks for it
    /// @throws LaunchRefused if it cannot be started
    public void outside(LocalNode node, Launch launch, RunFiles files, StepCommand srun)
            throws LaunchRefused, IOException, InterruptedException {
        Account account = account(launch);
        Path begin = new StepOutside(shims, files, srun).write(account);
        shims.enter(files, RunMark.of(node.name(), launch.run()), Map.of(), account, begin);
    }

    private Account account(Launch launch) throws LaunchRefused, IOException, InterruptedException {
        JobDescription job =
                launch.job() == null ? specs.read(launch.spec()).description() : launch.job();
        return accounts.of(job.user());
    }

    /// Starts a process in a run that has begun, under its account and in its group, which comes to
    /// the session of a request and is told there what to run.
    ///
    /// @param began when the run did, in epoch seconds
    /// @throws LaunchRefused if it cannot be started
    public void startStep(
            LocalNode node,
            Launch launch,
            JobSpec spec,
            long began,
            RunFiles files,
            StepRequest request)
            throws LaunchRefused, IOException, InterruptedException {
        Account account = accounts.of(job(launch, spec).user());
        Map<String, String> variables = environment(node, launch, spec, account, files, began);
        // The script may run in a container, and this does not.
        variables.remove("SLURM_CONTAINER");
        String text =
                StartScript.of(
                        Path.of("/"),
                        variables,
                        OutputFiles.none(variables),
                        "",
                        List.of(shims.session().toString(), "--told"));
        Path begin = files.job().tell("step", text, account);
        shims.enter(
                files,
                RunMark.of(node.name(), launch.run()),
                Map.of("BERTH_PART_URL", request.session(), "BERTH_PART_SECRET", request.secret()),
                account,
                begin);
    }

    /// The text by which the task holds the group open, and starts what steps of the script run
    /// here, under its account.
    private String holder(
            LocalNode node, Launch launch, JobSpec spec, Account account, RunFiles files)
            throws LaunchRefused, IOException, InterruptedException {
        Optional<StepPlace> place = StepPlace.of(spec.environment());
        if (place.isEmpty()) {
            return StartScript.HOLDER;
        }
        Map<String, String> variables = environment(node, launch, spec, account, files);
        files.job()
                .write(
                        JobFiles.BEGIN,
                        StartScript.of(
                                Path.of("/"),
                                variables,
                                OutputFiles.none(variables),
                                "",
                                List.of(shims.session().toString(), "--part")));
        if (account.switched()) {
            var given = new ArrayList<>(List.of(JobFiles.BEGIN));
            given.addAll(foldersOfSteps());
            files.job().giveTo(account, given);
        }
        files.note(StepPlace.NAME, place.get());
        return StartScript.holding(
                shims.turning(account), files.job().at(JobFiles.BEGIN), place.get().gateway());
    }

    private static FilenamePattern pattern(LocalNode node, Launch launch, JobSpec spec) {
        JobDescription job = job(launch, spec);
        return new FilenamePattern(
                launch.run().job(),
                job.name(),
                job.user(),
                node.name().value(),
                launch.here().index(),
                job.array());
    }

    /// The job as placement knows it; of older orders as it was submitted.
    private static JobDescription job(Launch launch, JobSpec spec) {
        return launch.job() == null ? spec.description() : launch.job();
    }

    private Map<String, String> environment(
            LocalNode node, Launch launch, JobSpec spec, Account account, RunFiles files)
            throws IOException {
        long now = System.currentTimeMillis() / 1000;
        return environment(node, launch, spec, account, files, now);
    }

    /// @param began when the run did, in epoch seconds
    private Map<String, String> environment(
            LocalNode node,
            Launch launch,
            JobSpec spec,
            Account account,
            RunFiles files,
            long began)
            throws IOException {
        var environment =
                new JobEnvironment(node, launch, spec, clusterName, began, account).variables();
        environment.compute("PATH", (_, path) -> shims.path(String.valueOf(path)));
        environment.putAll(mps.variables(node, launch.here(), files));
        environment.put("BERTH_STEPS", files.job().makeSteps().toString());
        environment.put("BERTH_HOSTFILE", files.hosts(launch.allocations()).toString());
        if (groups.heldByKernel()) {
            files.job().makeAsks();
        }
        environment.put("BERTH_NOTICE_FILE", files.job().at(JobFiles.NOTICE).toString());
        environment.put("BERTH_CHECKPOINT_FILE", files.job().at(JobFiles.CHECKPOINT).toString());
        return environment;
    }

    /// Those in which steps write. Where the kernel holds no groups nobody answers what they ask.
    private List<String> foldersOfSteps() {
        return groups.heldByKernel()
                ? List.of(JobFiles.STEPS, JobFiles.ASKS)
                : List.of(JobFiles.STEPS);
    }

    /// The script as a file, with its arguments.
    private List<String> command(JobSpec spec, RunFiles files) throws IOException {
        Path script = files.job().at(SCRIPT);
        shims.writeExecutable(script, spec.script());
        var command = new ArrayList<String>();
        command.add(script.toString());
        command.addAll(spec.arguments());
        return command;
    }

    private Prepared start(
            LocalNode node,
            RunId run,
            Allocation allocation,
            OptionalInt imexChannel,
            String start,
            RunFiles files)
            throws LaunchRefused, IOException, InterruptedException {
        List<Gpu> gpus = held(node, allocation);
        DeviceRules now = rules.now();
        IndexSet cpus = node.virtual() ? IndexSet.EMPTY : node.onHost(allocation.cpus());
        var limits =
                new Limits(
                        cpus,
                        allocation.memoryMib(),
                        maxProcesses,
                        devices(now, node, gpus, allocation.gres(), imexChannel));
        Group group = groups.create(node.name(), run, limits);
        Bindings.run(group, limits, allocation.gpus());
        if (!start.isEmpty()) {
            files.write("start", start);
        }
        files.write("entrances", lines(group.entrances()));
        files.write("groups", lines(group.folders()));
        Trial trial = probes.trial(now, node.inventory().gpus(), gpus, limits.devices());
        files.write("devices", lines(trial.all()));
        shims.start(files, node.name(), run);
        await(files, "ready");
        Readiness ready =
                Readiness.read(files, trial.all())
                        .orElseThrow(() -> new LaunchRefused(failure(files)));
        return new Prepared(
                group,
                verified(node, !gpus.isEmpty(), group, ready, trial),
                mps.enforcement(node, allocation),
                null);
    }

    /// The GPUs of the node that the run holds.
    private static List<Gpu> held(LocalNode node, Allocation allocation) throws LaunchRefused {
        List<Gpu> gpus =
                node.inventory().gpus().stream()
                        .filter(gpu -> allocation.gpus().contains(gpu.uuid()))
                        .toList();
        if (gpus.size() != allocation.gpus().size()) {
            throw new LaunchRefused(
                    "node %s has not all of the GPUs %s".formatted(node.name(), allocation.gpus()));
        }
        return gpus;
    }

    /// The rules for what a step of the run, or a task, may open that has these GPUs of the run's;
    /// none if they are no fewer than all, or not GPUs of the run.
    public List<String> devices(LocalNode node, Launch launch, Set<String> gpus)
            throws LaunchRefused, IOException {
        Allocation here = launch.here();
        if (!here.gpus().containsAll(gpus) || gpus.containsAll(here.gpus())) {
            return List.of();
        }
        List<Gpu> held =
                held(node, here).stream().filter(gpu -> gpus.contains(gpu.uuid())).toList();
        return devices(rules.now(), node, held, here.gres(), ImexChannel.of(node, launch));
    }

    private static List<String> devices(
            DeviceRules rules,
            LocalNode node,
            List<Gpu> gpus,
            List<Gres> gres,
            OptionalInt imexChannel)
            throws LaunchRefused, IOException {
        List<String> own = devices(node, gres);
        for (Gpu gpu : gpus) {
            for (String file : node.besides(gpu)) {
                own.add(number(file));
            }
        }
        var devices = new ArrayList<>(rules.allowing(gpus, own));
        imexChannel.ifPresent(it -> rules.imexChannel(it).ifPresent(devices::add));
        return devices;
    }

    /// The devices of other resources that a run was given.
    private static List<String> devices(LocalNode node, List<Gres> gres)
            throws LaunchRefused, IOException {
        var numbers = new ArrayList<String>();
        for (String file : gres.stream().flatMap(it -> it.files().stream()).toList()) {
            if (node.inventory().gres().stream().noneMatch(it -> it.files().contains(file))) {
                throw new LaunchRefused(
                        "node %s does not give out the device file %s"
                                .formatted(node.name(), file));
            }
            for (String each : node.said().filesOf(file)) {
                numbers.add(number(each));
            }
        }
        return numbers;
    }

    private static String number(String file) throws LaunchRefused {
        try {
            return DeviceFile.number(file);
        } catch (IOException e) {
            throw new LaunchRefused(String.valueOf(e.getMessage()), e);
        }
    }

    /// What was proven. Less than the node claims to enforce is a refusal.
    private Set<Isolation> verified(
            LocalNode node, boolean holdsGpus, Group group, Readiness ready, Trial trial)
            throws LaunchRefused {
        for (Map.Entry<Path, String> own : trial.own().entrySet()) {
            Optional<String> broken = ready.broken(own.getKey());
            if (broken.isPresent()) {
                throw LaunchRefused.ofGpu(
                        "GPU %s cannot be opened: %s".formatted(own.getValue(), broken.get()));
            }
        }
        Set<Isolation> verified = EnumSet.noneOf(Isolation.class);
        verified.addAll(group.enforced());
        boolean proven =
                !trial.foreign().isEmpty()
                        && trial.foreign().stream().allMatch(ready::denied)
                        && trial.own().keySet().stream().allMatch(ready::admitted);
        if (!proven) {
            verified.remove(Isolation.DEVICES);
        }
        var missing = EnumSet.noneOf(Isolation.class);
        missing.addAll(node.inventory().isolation());
        missing.removeAll(verified);
        if (!missing.isEmpty()) {
            throw new LaunchRefused("isolation could not be verified: " + missing);
        }
        if (holdsGpus
                && !gpusWithoutIsolation
                && !node.inventory().simulated()
                && !verified.contains(Isolation.DEVICES)) {
            throw new LaunchRefused(UNISOLATED, UNISOLATED);
        }
        return verified;
    }

    private void await(RunFiles files, String name) throws IOException, InterruptedException {
        var changed = new Semaphore(0);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
        try (var _ = watch.watch(files.folder(), changed::release)) {
            while (!files.has(name) && !files.has("exit") && System.nanoTime() < deadline) {
                if (changed.tryAcquire(TICK_MILLIS, TimeUnit.MILLISECONDS)) {
                    changed.drainPermits();
                }
            }
        }
    }

    private static String failure(RunFiles files) {
        try {
            Optional<String> said = files.text("failure").map(String::strip);
            return "the task did not come to stand in its group"
                    + said.filter(text -> !text.isEmpty())
                            .map(text -> ": " + Arrays.asList(text.split("\n")).getLast())
                            .orElse("");
        } catch (IOException e) {
            return "the task did not come to stand in its group";
        }
    }

    private static String lines(Iterable<Path> paths) {
        var text = new StringBuilder();
        paths.forEach(path -> text.append(path).append('\n'));
        return text.toString();
    }
}
