package io.berth.agent.launch;

import io.berth.agent.host.LiveProcess;
import io.berth.agent.host.LocalNode;
import io.berth.contracts.JobDescription;
import io.berth.contracts.event.Order.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A site's programs around each run's part on a node, which run as the agent.
///
/// Source: Slurm's "Prolog and Epilog Guide", for the names of the variables.
public record Hooks(Optional<Path> prolog, Optional<Path> epilog, Commands commands) {

    private static final Logger LOG = LoggerFactory.getLogger(Hooks.class);
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final int TRIES = 200;
    private static final long PAUSE_MILLIS = 10;

    /// In a run's folder, the process of the program that was begun last.
    private static final String BEGUN = "hook";

    /// What both programs are told; that it is there says that the first was begun.
    record Told(Map<String, String> variables) {
        static final String NAME = "hooks";
    }

    /// Runs the one before.
    ///
    /// @throws LaunchRefused if it cannot be run, or does not end with 0
    void before(LocalNode node, Launch launch, JobDescription job, RunFiles files)
            throws LaunchRefused, IOException, InterruptedException {
        if (prolog.isEmpty() && epilog.isEmpty()) {
            return;
        }
        // What a prolog begins an epilog ends, whatever happens to the machine.
        files.awaitStored();
        var told = new Told(variables(node, launch, job));
        files.note(Told.NAME, told);
        if (prolog.isEmpty()) {
            return;
        }
        Optional<String> how = failure("prolog", prolog.get(), told, files);
        if (how.isPresent()) {
            throw new LaunchRefused(how.get(), how.get());
        }
    }

    /// Runs the one after, if the run came so far. The next agent of one that ended meanwhile runs
    /// it again: what it or the one before has left running is ended first.
    ///
    /// @return how it failed, if it did
    public Optional<String> after(RunFiles files) throws InterruptedException {
        try {
            endLeft(files);
            Optional<Told> told = files.kept(Told.NAME, Told.class);
            return told.isEmpty() || epilog.isEmpty()
                    ? Optional.empty()
                    : failure("epilog", epilog.get(), told.get(), files);
        } catch (IOException e) {
            return Optional.of("the epilog was not run: " + e.getMessage());
        }
    }

    /// How a program failed, if it did.
    private Optional<String> failure(String name, Path program, Told told, RunFiles files)
            throws InterruptedException {
        String how;
        try {
            if (!Files.isExecutable(program)) {
                throw new IOException(program + " cannot be executed");
            }
            Path begun = files.folder().resolve(BEGUN);
            var ran = commands.runNoted(begun, program, told.variables(), LIMIT);
            if (ran.status() == 0) {
                return Optional.empty();
            }
            how = "the %s ended with %d%s".formatted(name, ran.status(), last(ran.output()));
        } catch (IOException e) {
            how = "the %s was not run: %s".formatted(name, e.getMessage());
        }
        LOG.atWarn()
                .addKeyValue("job", told.variables().get("SLURM_JOB_ID"))
                .addKeyValue("how", how)
                .log("Hook failed");
        return Optional.of(how);
    }

    private static void endLeft(RunFiles files) throws IOException, InterruptedException {
        LiveProcess left =
                files.text(BEGUN)
                        .filter(it -> !it.isBlank())
                        .map(LiveProcess::parse)
                        .filter(LiveProcess::alive)
                        .orElse(null);
        if (left == null) {
            return;
        }
        ProcessHandle.of(left.pid())
                .ifPresent(it -> {
                    it.descendants().forEach(ProcessHandle::destroyForcibly);
                    it.destroyForcibly();
                });
        // One that waits in the kernel takes it when it goes on.
        for (int tries = 0; left.alive() && tries < TRIES; tries++) {
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private static Map<String, String> variables(
            LocalNode node, Launch launch, JobDescription job) {
        var variables = new TreeMap<String, String>();
        variables.put("SLURM_JOB_ID", launch.run().job().toString());
        variables.put("SLURM_JOB_USER", job.user());
        variables.put("SLURM_JOB_ACCOUNT", job.account());
        variables.put("SLURM_JOB_PARTITION", job.partition());
        variables.put("SLURM_JOB_NAME", job.name());
        variables.put("SLURMD_NODENAME", node.name().value());
        variables.put("CUDA_VISIBLE_DEVICES", String.join(",", launch.here().gpus()));
        variables.put("BERTH_LEASE", Integer.toString(launch.run().lease()));
        return variables;
    }

    private static String last(String output) {
        List<String> lines = output.strip().lines().toList();
        return lines.isEmpty() ? "" : ": " + lines.getLast();
    }
}
