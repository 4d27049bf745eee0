package io.berth.agent.launch;

import io.berth.agent.container.CdiDevices;
import io.berth.agent.container.ContainerRuntime;
import io.berth.agent.container.ContainerRuntime.Bind;
import io.berth.agent.container.ContainerRuntime.Call;
import io.berth.agent.container.OciConfig;
import io.berth.agent.container.OciConfig.Program;
import io.berth.agent.host.LocalNode;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware.Vendor;
import io.berth.contracts.event.Order.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Runs scripts in containers. A script's account calls the runtime itself, in the run's group and
/// with no more rights than it has: what of the container is the user's own is read by the user's
/// account alone.
///
/// @param runtime empty on a host that has none
/// @param cdi the folders with the host's CDI files
public record Containers(Optional<ContainerRuntime> runtime, List<Path> cdi, Commands commands) {

    /// Where the container finds the run's folder and the commands of scripts.
    private static final Path RUN = Path.of("/run/berth/run");

    private static final Path COMMANDS = Path.of("/run/berth/bin");

    /// Behind the commands, where no configuration of a bundle is read.
    private static final String PATH =
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    /// Of the run's folder what the runtime needs. It is root's: what is written in it again, or
    /// given away, is never what the account put in its place.
    static final String FOLDER = "container";

    private static final String CONFIG = "config.json";
    private static final String STATE = "state";

    /// A program to be run in a container.
    ///
    /// @param variables of the program, and of the process that starts the runtime
    /// @param command that starts it
    /// @param given what the script's account must be able to write
    public record InContainer(
            Map<String, String> variables, List<String> command, List<String> given) {}

    /// The part of a run on a node to which a program belongs.
    record Part(LocalNode node, Launch launch, Account account, Shims shims, RunFiles files) {}

    /// The one of that path, else the first that is there.
    ///
    /// @throws IllegalArgumentException if the path is of none that is known
    public static Containers find(Optional<Path> given, List<Path> cdi, Commands commands) {
        return new Containers(ContainerRuntime.find(given, Commands.PATH), cdi, commands);
    }

    /// How to run a script in the container that its job names.
    ///
    /// @param script as it would run without one: a file in the run's folder, and its arguments
    InContainer script(Path container, Part part, Program script)
            throws LaunchRefused, IOException, InterruptedException {
        var words = new ArrayList<>(script.command());
        words.set(
                0,
                RUN.resolve(part.files().folder().relativize(Path.of(words.getFirst())))
                        .toString());
        return run(
                container,
                part,
                "",
                new Program(script.variables(), script.directory(), words, null));
    }

    /// How a step's `srun` is run once more in a container, where it starts the tasks.
    ///
    /// @param outside the one that turns into it
    InContainer srun(Path container, Part part, StepCommand outside)
            throws LaunchRefused, IOException, InterruptedException {
        part.files().job().makePassage(FOLDER);
        clearSteps(part.files());
        var inside = new TreeMap<>(outside.variables());
        inside.put("SLURM_CONTAINER", container.toString());
        inside.put("BERTH_STEP_CONTAINER", "1");
        var words = new ArrayList<>(outside.arguments());
        words.addFirst(COMMANDS.resolve("srun").toString());
        return run(
                container,
                part,
                "/" + outside.process(),
                new Program(inside, outside.directory(), words, outside.console()));
    }

    /// What a process in a container says, with the run's folder and the commands of scripts where
    /// they are outside of it.
    static String outside(String text, Path run, Path commands) {
        for (var place : Map.of(RUN, run, COMMANDS, commands).entrySet()) {
            String inside = place.getKey().toString();
            if (text.matches("\\Q" + inside + "\\E([/:](?s:.*))?")) {
                return place.getValue() + text.substring(inside.length());
            }
        }
        return text;
    }

    /// What is left of steps whose processes are gone. What the account itself has put into a
    /// step's state goes with the run: to remove that here would let it make the run's thread busy.
    private static void clearSteps(RunFiles files) throws IOException {
        for (String name : files.job().names(FOLDER)) {
            if (name.matches("[0-9]{1,18}") && ProcessHandle.of(Long.parseLong(name)).isEmpty()) {
                String step = FOLDER + "/" + name;
                files.job().removeIfPossible(step, CONFIG);
                files.job().removeIfPossible(step, STATE);
                files.job().removeIfPossible(FOLDER, name);
            }
        }
    }

    /// @param place of its configuration in [#FOLDER]
    private InContainer run(Path container, Part part, String place, Program program)
            throws LaunchRefused, IOException, InterruptedException {
        LocalNode node = part.node();
        RunFiles files = part.files();
        Account account = part.account();
        Path directory = program.directory();
        ContainerRuntime by =
                runtime.orElseThrow(() ->
                        new LaunchRefused(
                                "no container runtime on node %s: crun, runc, apptainer or podman, or set berth.agent.container-runtime"
                                        .formatted(node.name())));
        String folder = files.folder().toString();
        var inside = new TreeMap<>(program.variables());
        inside.replaceAll((_, value) ->
                value.startsWith(folder + "/") ? RUN + value.substring(folder.length()) : value);
        List<Bind> binds =
                List.of(
                        new Bind(files.folder(), RUN, true),
                        new Bind(part.shims().commands(), COMMANDS, false),
                        new Bind(directory, directory, true));
        List<Gpu> held = held(node, part.launch());
        CdiDevices devices = held.isEmpty() ? CdiDevices.none() : CdiDevices.in(cdi);
        List<String> gpus = gpus(by, devices, node, held);
        Optional<String> bundle = part.shims().readBundle(files, account, container);
        long same = account.uid();
        var person = new OciConfig.Person(same, account.gid(), by.needsRoot() ? 0 : same);
        Path image;
        String config;
        try {
            image = OciConfig.root(bundle.orElse(null), container);
            config =
                    OciConfig.of(
                            bundle.orElse(null),
                            container,
                            person,
                            new Program(inside, directory, program.command(), program.console()),
                            COMMANDS,
                            binds,
                            devices.edits(gpus));
        } catch (IOException | IllegalArgumentException e) {
            throw new LaunchRefused("container " + container + ": " + e.getMessage(), e);
        }
        for (Path told : List.of(directory, image)) {
            Optional<String> refusal = by.refusal(told);
            if (refusal.isPresent()) {
                throw new LaunchRefused(refusal.get());
            }
        }
        String folderOfIt = FOLDER + place;
        files.job().makePassage(folderOfIt);
        Path state = Files.createDirectories(files.job().at(folderOfIt + "/" + STATE));
        var given = new ArrayList<>(List.of(folderOfIt + "/" + STATE));
        if (by.takesBundle()) {
            files.job().write(folderOfIt + "/" + CONFIG, config);
            given.add(folderOfIt + "/" + CONFIG);
        }
        Map<String, String> own = by.variables(state, COMMANDS);
        var names = new ArrayList<String>();
        names.add("PATH=" + COMMANDS + ":" + PATH);
        inside.forEach((name, value) -> {
            if (!name.equals("PATH")) {
                names.add(own.containsKey(name) ? name + "=" + value : name);
            }
        });
        inside.putAll(own);
        var call =
                new Call(
                        "berth-" + part.launch().run() + place.replace('/', '-'),
                        files.job().at(folderOfIt),
                        state,
                        image,
                        binds,
                        directory,
                        OutputFiles.umask(program.variables()),
                        names,
                        gpus,
                        program.console() != null,
                        program.command());
        return new InContainer(inside, by.command(call), given);
    }

    /// The NVIDIA GPUs that the run holds.
    private static List<Gpu> held(LocalNode node, Launch launch) {
        return node.inventory().gpus().stream()
                .filter(gpu -> launch.here().gpus().contains(gpu.uuid()))
                .filter(gpu -> gpu.hardware() != null && gpu.hardware().vendor() == Vendor.NVIDIA)
                .toList();
    }

    /// CDI names of GPUs. What only a name brings into a container must have one.
    private static List<String> gpus(
            ContainerRuntime runtime, CdiDevices cdi, LocalNode node, List<Gpu> held)
            throws LaunchRefused {
        var names = new ArrayList<String>();
        for (Gpu gpu : held) {
            Optional<String> name =
                    cdi.gpu(
                            gpu.uuid(),
                            node.inventory().migGpus().isEmpty()
                                    ? Integer.toString(gpu.index())
                                    : "");
            if (name.isEmpty() && runtime.kind() == ContainerRuntime.Kind.PODMAN) {
                throw new LaunchRefused(
                        "no CDI file names GPU %s: see nvidia-ctk cdi generate"
                                .formatted(gpu.uuid()));
            }
            names.add(name.orElse("nvidia.com/gpu=" + gpu.uuid()));
        }
        return names;
    }
}
