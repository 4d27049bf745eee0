package io.berth.agent.launch;

import io.berth.agent.group.RunMark;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts the shims of an agent process.
public final class Shims implements Closeable {

    /// How long the file systems may take to answer.
    private static final Duration FILES_LIMIT = Duration.ofSeconds(30);

    /// The same for a container's bundle. A run waits for that of a step.
    private static final Duration BUNDLE_LIMIT = Duration.ofSeconds(8);

    private static final Duration PROGRAM_LIMIT = Duration.ofSeconds(10);
    private static final int NO_BUNDLE = 3;
    private static final int LARGEST_BUNDLE = 1 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(Shims.class);
    private static final String PROGRAM = "shim-" + machine();
    private static final String TASKS = "srun-tasks";

    /// Lists, in the agents' home, what shims enter: see [#standIn].
    private static final String APART = "apart";

    /// Stands in a run's folder while its files are tried.
    private static final String TRYING = "trying";

    private final Commands processes;

    /// The folder of the commands that scripts find before all others: `srun`.
    private final Path commands;

    /// What is started for each task.
    public enum Kind {
        /// A small program, which was compiled for this kind of machine. Another starts the tasks
        /// of steps.
        PROGRAM,
        /// The same as texts for the shell.
        SHELL
    }

    private final Kind kind;
    private final ShimServer server;

    private Shims(Path home, Path commands, Commands processes, Kind kind) {
        this.commands = commands;
        this.processes = processes;
        this.kind = kind;
        this.server = new ShimServer(processes, home.resolve("shim"), home.resolve(APART));
    }

    /// Has all that is started from now on enter these groups first, out of the agent's own.
    ///
    /// @param entrances of [io.berth.agent.group.ApartGroup]
    public void standIn(List<Path> entrances) throws IOException {
        var text = new StringBuilder();
        entrances.forEach(entrance -> text.append(entrance).append('\n'));
        Files.writeString(commands.resolveSibling(APART), text);
    }

    /// Puts the shim into the agents' home, four folders above each run's, and the scripts'
    /// commands. The shim is a program where one was compiled for this machine and runs.
    public static Shims install(Path home, Commands processes)
            throws IOException, InterruptedException {
        boolean program =
                Shims.class.getResource(PROGRAM) != null && installProgram(home, processes);
        return install(home, processes, program ? Kind.PROGRAM : Kind.SHELL);
    }

    /// The same, with a shim of that kind.
    public static Shims install(Path home, Commands processes, Kind kind) throws IOException {
        Path commands = Files.createDirectories(home.resolve("bin"));
        Files.setPosixFilePermissions(commands, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (String name :
                List.of(
                        "shim.sh",
                        "task.sh",
                        "try-files.sh",
                        "read-bundle.sh",
                        "read-output.sh",
                        "enter.sh")) {
            install(name, home.resolve(name), "rw-r--r--");
        }
        for (String name :
                List.of(
                        "sbcast",
                        "srun",
                        "srun-components.sh",
                        "srun-nodes.sh",
                        "srun-share.sh",
                        "srun-tasks.sh")) {
            install(name, commands.resolve(name), "rwxr-xr-x");
        }
        Path tasks = commands.resolve(TASKS);
        switch (kind) {
            case PROGRAM ->
                    processes.writing(() -> install(TASKS + "-" + machine(), tasks, "rwxr-xr-x"));
            case SHELL -> Files.deleteIfExists(tasks);
        }
        SessionCommand.install(commands.resolve("berth-session"));
        return new Shims(home, commands, processes, kind);
    }

    /// Whether it is there, and says how it is used.
    private static boolean installProgram(Path home, Commands processes)
            throws IOException, InterruptedException {
        Path program = home.resolve("shim");
        processes.writing(() -> install(PROGRAM, program, "rwxr-xr-x"));
        try {
            return processes.run(List.of(program.toString()), PROGRAM_LIMIT).status() == 2;
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("cause", e).log("Shim does not run, using the shell's");
            return false;
        }
    }

    private static void install(String name, Path file, String permissions) throws IOException {
        try (InputStream in = Shims.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not packaged");
            }
            install(in, file, permissions);
        }
    }

    /// Puts a file there whole, or not at all.
    static void install(InputStream in, Path file, String permissions) throws IOException {
        Path temporary =
                Files.createTempFile(file.getParent(), file.getFileName().toString(), ".new");
        Files.copy(in, temporary, StandardCopyOption.REPLACE_EXISTING);
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString(permissions));
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }

    public Kind kind() {
        return kind;
    }

    /// The program that connects a process of a job to the gateway.
    Path session() {
        return commands.resolve("berth-session");
    }

    /// The folder of the commands that scripts find before all others.
    Path commands() {
        return commands;
    }

    /// Where scripts find commands, those of jobs first.
    ///
    /// @param path the script's own
    public String path(String path) {
        return commands + ":" + path;
    }

    /// Writes a file that will be run.
    public void writeExecutable(Path file, String text) throws IOException {
        processes.writing(() -> {
            Files.writeString(file, text);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        });
    }

    /// Starts the shim of a run, in a session of its own.
    public void start(RunFiles files, NodeName node, RunId run) throws IOException {
        List<String> marks = RunMark.of(node, run);
        switch (kind) {
            case PROGRAM -> server.start(files.folder(), marks);
            case SHELL -> startShell(files, marks);
        }
    }

    private void startShell(RunFiles files, List<String> marks) throws IOException {
        var command = new ArrayList<String>();
        command.addAll(List.of("setsid", "sh", home(files).resolve("shim.sh").toString()));
        command.add(files.folder().toString());
        command.addAll(marks);
        ProcessBuilder builder = processes.builder(command);
        builder.directory(files.folder().toFile());
        var unused = processes.start(builder);
    }

    /// Starts a process in the groups of a run that has begun, which turns into an account and then
    /// into a text's code. It ends by itself, or with the run.
    ///
    /// @param marks the variables that mark the run's processes
    /// @param variables that it has beside those that the text sets
    void enter(
            RunFiles run,
            List<String> marks,
            Map<String, String> variables,
            Account account,
            Path text)
            throws IOException {
        var command = new ArrayList<String>();
        command.addAll(List.of("setsid", "sh", home(run).resolve("enter.sh").toString()));
        command.add(run.folder().toString());
        command.addAll(turning(account));
        command.addAll(List.of("sh", text.toString()));
        ProcessBuilder builder = processes.builder(command);
        for (String mark : marks) {
            int equals = mark.indexOf('=');
            builder.environment().put(mark.substring(0, equals), mark.substring(equals + 1));
        }
        builder.environment().putAll(variables);
        var unused = processes.start(builder);
    }

    /// No shim is started any more; those that were go on.
    @Override
    public void close() {
        server.close();
    }

    /// The program by which a process of root turns into an account, with its arguments; nothing if
    /// it need not. It leaves no capability, and takes up all groups of the account.
    List<String> turning(Account account) {
        if (!account.switched()) {
            return List.of();
        }
        var words = new ArrayList<String>();
        switch (kind) {
            case PROGRAM -> {
                words.addAll(List.of(commands.resolveSibling("shim").toString(), "--as"));
                words.addAll(account.numbers());
            }
            case SHELL ->
                    words.addAll(
                            List.of(
                                    "setpriv",
                                    "--reuid=" + account.uid(),
                                    "--regid=" + account.gid(),
                                    "--groups=" + account.numbers().getLast(),
                                    "--inh-caps=-all",
                                    "--"));
        }
        return words;
    }

    /// Has the task of a run turn into an account, and that read the text in `begin`: the shim that
    /// is a program by itself, told by a file; the other by the text that this returns.
    String beginAs(Account account, RunFiles files) throws LaunchRefused, IOException {
        return switch (kind) {
            case PROGRAM -> {
                files.write("account", String.join(" ", account.numbers()) + "\n");
                yield "";
            }
            case SHELL -> StartScript.turningInto(turning(account), files.job().at(JobFiles.BEGIN));
        };
    }

    /// Tries, as an account, the folder and the files of a script, and empties what it writes.
    ///
    /// @param said waits until a file of that name is in the run's folder
    /// @throws LaunchRefused if one of them cannot be used
    public void tryFiles(
            RunFiles run,
            Account account,
            Path directory,
            OutputFiles files,
            boolean append,
            Awaiting said)
            throws LaunchRefused, IOException, InterruptedException {
        switch (kind) {
            case PROGRAM -> tryFilesByProgram(run, account, directory, files, append, said);
            case SHELL -> tryFilesByShell(run, account, directory, files, append);
        }
    }

    /// Goes on only while the mark of it is in the run's folder.
    private void tryFilesByProgram(
            RunFiles run,
            Account account,
            Path directory,
            OutputFiles files,
            boolean append,
            Awaiting said)
            throws LaunchRefused, IOException, InterruptedException {
        run.write(TRYING, "");
        try {
            server.tryFiles(run.folder(), account, directory, files, append);
            said.await("tried");
        } finally {
            Files.deleteIfExists(run.folder().resolve(TRYING));
        }
        String wrong =
                run.text("tried").orElse("the files of the script could not be tried in time");
        if (!wrong.isEmpty()) {
            throw new LaunchRefused(wrong.strip());
        }
    }

    /// Waits for a file.
    @FunctionalInterface
    interface Awaiting {
        void await(String name) throws IOException, InterruptedException;
    }

    private void tryFilesByShell(
            RunFiles run, Account account, Path directory, OutputFiles files, boolean append)
            throws LaunchRefused, IOException, InterruptedException {
        var command = new ArrayList<String>(turning(account));
        command.addAll(List.of("sh", home(run).resolve("try-files.sh").toString()));
        command.addAll(List.of(directory.toString(), files.input().toString()));
        command.add(append ? "append" : "");
        command.add(files.umask());
        command.add(files.output().toString());
        command.add(files.error().toString());
        var ran = processes.runAlone(command, Map.of(), FILES_LIMIT);
        if (ran.status() != 0) {
            throw new LaunchRefused(ran.output().strip());
        }
    }

    /// Reads, as an account, the configuration of a container's bundle; nothing for a folder that
    /// is the container's files.
    ///
    /// @throws LaunchRefused if it is neither, or may not be read
    Optional<String> readBundle(RunFiles run, Account account, Path container)
            throws LaunchRefused, IOException, InterruptedException {
        var command = new ArrayList<String>(turning(account));
        command.addAll(List.of("sh", home(run).resolve("read-bundle.sh").toString()));
        command.add(container.toString());
        var ran = processes.runAlone(command, Map.of(), BUNDLE_LIMIT);
        if (ran.status() == NO_BUNDLE) {
            return Optional.empty();
        }
        if (ran.status() != 0) {
            throw new LaunchRefused(ran.output().strip());
        }
        if (ran.output().length() > LARGEST_BUNDLE) {
            throw new LaunchRefused(
                    "container %s: its config.json is larger than 1 MiB".formatted(container));
        }
        return Optional.of(ran.output());
    }

    /// Reads, as an account, a file that a script writes.
    ///
    /// @param from the first byte; negative counts from the end
    OutputReading readOutput(Account account, Path file, long from) throws IOException {
        var command = new ArrayList<String>(turning(account));
        command.addAll(List.of("sh", commands.resolveSibling("read-output.sh").toString()));
        command.addAll(List.of(file.toString(), Long.toString(from)));
        ProcessBuilder builder = processes.builder(command);
        builder.redirectInput(ProcessBuilder.Redirect.PIPE);
        builder.redirectOutput(ProcessBuilder.Redirect.PIPE);
        return new OutputReading(processes.start(builder));
    }

    /// As `uname -m` says it.
    private static String machine() {
        String name = System.getProperty("os.arch", "");
        return name.equals("amd64") ? "x86_64" : name;
    }

    private static Path home(RunFiles files) {
        return files.folder().resolve("../../../..").normalize();
    }
}
