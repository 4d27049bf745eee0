package io.berth.cli;

import io.berth.cli.MeshClient.NoAnswer;
import io.berth.client.Answer;
import io.berth.client.Query;
import io.berth.contracts.JobState;
import io.berth.slurm.HostList;
import io.berth.slurm.SlurmTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;

/// What `scontrol` tells of jobs beside `show`: those whose nodes are not free yet, and when one
/// runs.
final class ScontrolJobs {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private static final FileAttribute<?> OWNERS =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Terminal terminal;
    private final MeshClient client;

    ScontrolJobs(Terminal terminal) throws CommandFailure {
        this.terminal = terminal;
        this.client = MeshClient.of(terminal, "scontrol");
    }

    /// The jobs that have ended, and of which something is still on their nodes.
    int completing() throws CommandFailure {
        String path =
                new Query("/v1/jobs").with("state", List.of(JobState.COMPLETING.name())).toString();
        for (JobView job : JobView.all(client.get(path))) {
            long ended = job.json().number("endedAt");
            terminal.out()
                    .print(
                            "JobId=%s EndTime=%s CompletingTime=%s Nodes(COMPLETING)=%s\n"
                                    .formatted(
                                            job.name(),
                                            Dates.iso(ended, terminal.zone().get(), "Unknown"),
                                            SlurmTime.brief(
                                                    ended == 0
                                                            ? 0
                                                            : (terminal.now() - ended) / 1000),
                                            HostList.compress(job.json().texts("nodeNames"))));
        }
        return 0;
    }

    /// Writes a job's batch script to a file, `slurm-17.sh` if none is named, or for `-` to
    /// standard output. A new file is its reader's alone: scripts hold what others are not to know.
    int write(List<String> operands, boolean quiet) throws CommandFailure {
        if (operands.isEmpty() || !operands.getFirst().equals("batch_script")) {
            throw new CommandFailure(
                    1, "invalid keyword for write: only 'batch_script JOB [FILE]' is\n");
        }
        if (operands.size() < 2 || operands.size() > 3 || !JobIds.names(operands.get(1))) {
            throw new CommandFailure(1, "job script retrieval failed: Invalid job id specified\n");
        }
        String job = operands.get(1);
        byte[] script = script(job);
        String name = operands.size() < 3 ? "slurm-" + job + ".sh" : operands.get(2);
        if (name.equals("-")) {
            if (LocalTerminal.shows(1)) {
                new Printable(terminal.out()).write(script, 0, script.length);
            } else {
                terminal.out().writeBytes(script);
            }
            return 0;
        }
        Path file = terminal.directory().resolve(name);
        try {
            if (Files.notExists(file)) {
                Files.createFile(file, OWNERS);
            }
            Files.write(file, script);
        } catch (IOException e) {
            throw new CommandFailure(
                    1,
                    "failed to open file `"
                            + name
                            + "`: "
                            + (e instanceof NoSuchFileException
                                    ? "No such file or directory"
                                    : e.getMessage())
                            + "\n");
        }
        if (!quiet) {
            terminal.out().print("batch script for job " + job + " written to " + name + "\n");
        }
        return 0;
    }

    private byte[] script(String job) throws CommandFailure {
        var script = new ByteArrayOutputStream();
        try {
            Answer answer =
                    client.stream(
                            JobIds.path(job) + "/script", (_, bytes) -> bytes.transferTo(script));
            if (!answer.ok()) {
                throw new CommandFailure(
                        1, "job script retrieval failed: " + Scontrol.reason(answer) + "\n");
            }
            return script.toByteArray();
        } catch (NoAnswer e) {
            throw CommandFailure.error("scontrol", String.valueOf(e.getMessage()));
        }
    }

    /// Waits until a job runs.
    ///
    /// @return 1 if it ended before
    int waitFor(List<String> operands) throws CommandFailure {
        if (operands.size() != 1) {
            throw new CommandFailure(1, "one job id is expected for keyword:wait_job\n");
        }
        String job = operands.getFirst();
        if (!JobIds.names(job) || !JobIds.one(job)) {
            throw new CommandFailure(1, "invalid job_id: " + job + "\n");
        }
        Duration pause = FIRST_PAUSE;
        while (true) {
            Answer answer = client.ask("GET", JobIds.path(job));
            if (!answer.ok()) {
                throw Scontrol.refused(answer, job);
            }
            var seen = new JobView(answer.body());
            if (seen.is(JobState.RUNNING) || seen.is(JobState.SUSPENDED)) {
                return 0;
            }
            if (seen.ended() || seen.is(JobState.COMPLETING)) {
                throw new CommandFailure(
                        1, "Job/step already completing or completed for job " + job + "\n");
            }
            terminal.pause().await(pause);
            pause = pause.multipliedBy(2);
            pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
        }
    }
}
