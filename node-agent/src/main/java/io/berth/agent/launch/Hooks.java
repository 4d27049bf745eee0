package io.berth.agent.launch;

import io.berth.agent.host.LocalNode;
import io.berth.contracts.JobDescription;
import io.berth.contracts.event.Order.Launch;
import java.io.IOException;
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

    /// What both programs are told; that it is there says that the first was begun.
    record Told(Map<String, String> variables) {
        static final String NAME = "hooks";
    }

    /// Runs the one before.
    ///
    /// @throws LaunchRefused if it does not end with 0
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
        var ran = commands.run(List.of(prolog.get().toString()), told.variables(), LIMIT);
        if (ran.status() != 0) {
            String how = "the prolog ended with %d%s".formatted(ran.status(), last(ran.output()));
            throw new LaunchRefused(how, how);
        }
    }

    /// Runs the one after, if the run came so far. An agent that ended meanwhile runs it again.
    ///
    /// @return how it failed, if it did
    public Optional<String> after(RunFiles files) throws InterruptedException {
        if (epilog.isEmpty()) {
            return Optional.empty();
        }
        try {
            Optional<Told> told = files.kept(Told.NAME, Told.class);
            if (told.isEmpty()) {
                return Optional.empty();
            }
            var ran = commands.run(List.of(epilog.get().toString()), told.get().variables(), LIMIT);
            return ran.status() == 0
                    ? Optional.empty()
                    : failed(
                            files,
                            "the epilog ended with %d%s"
                                    .formatted(ran.status(), last(ran.output())));
        } catch (IOException e) {
            return failed(files, "the epilog was not run: " + e.getMessage());
        }
    }

    private static Optional<String> failed(RunFiles files, String how) {
        LOG.atWarn()
                .addKeyValue("run", files.folder().getFileName())
                .addKeyValue("how", how)
                .log("Epilog failed");
        return Optional.of(how);
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
