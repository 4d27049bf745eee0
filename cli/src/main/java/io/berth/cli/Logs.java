package io.berth.cli;

import static io.berth.cli.CliOption.flag;

import io.berth.cli.CliOption.Words;
import io.berth.cli.MeshClient.Answer;
import io.berth.cli.MeshClient.NoAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// `berth logs`: what a job has written, from its output file, which must be within reach of this
/// machine.
final class Logs implements Command {

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final int LOOKS_PER_QUESTION = 5;

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("error", 'e', "the error file, if the job has one of its own"),
                    flag("follow", 'f', "go on until the job has ended"),
                    flag("help", 'h', "this text"),
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "logs [-f] JOB: what a job has written";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        String id = Why.jobOperand("logs", words);
        MeshClient client = MeshClient.of(terminal, "logs");
        Answer answer = client.ask("GET", JobIds.path(id));
        if (!answer.ok()) {
            throw CommandFailure.error("logs", answer.detail());
        }
        var job = new JobView(answer.body());
        boolean error = words.has("error") && !job.text("standardError").isEmpty();
        String path = job.text(error ? "standardError" : "standardOutput");
        if (path.isEmpty()) {
            throw CommandFailure.error("logs", "job " + id + " has no output file");
        }
        Path file = Path.of(path);
        if (words.has("follow")) {
            follow(terminal, client, job, file);
        } else if (Files.exists(file)) {
            copyFrom(file, 0, terminal.out());
        } else {
            throw CommandFailure.error(
                    "logs", "job " + id + " (" + job.state() + ") has not written " + file);
        }
        return 0;
    }

    /// Copies until the job has ended and the file has no more. A file that was truncated, by a job
    /// that started again, is read from its start.
    private static void follow(Terminal terminal, MeshClient client, JobView job, Path file)
            throws CommandFailure {
        JobView last = job;
        long read = 0;
        for (int look = 1; ; look++) {
            boolean ended = last.ended();
            read = copyFrom(file, size(file) < read ? 0 : read, terminal.out());
            terminal.out().flush();
            if (ended) {
                return;
            }
            terminal.pause().await(PAUSE);
            if (look % LOOKS_PER_QUESTION == 0) {
                last = again(client, last);
            }
        }
    }

    private static JobView again(MeshClient client, JobView last) {
        try {
            Answer answer = client.send("GET", "/v1/jobs/" + last.id(), null, List.of());
            return answer.ok() ? new JobView(answer.body()) : last;
        } catch (NoAnswer e) {
            return last;
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }

    /// Copies what stands behind `start`.
    ///
    /// @return where the copied part ends; `start` if there is no file
    private static long copyFrom(Path file, long start, PrintStream out) throws CommandFailure {
        if (!Files.exists(file)) {
            return start;
        }
        try (InputStream in = Files.newInputStream(file)) {
            in.skipNBytes(start);
            return start + in.transferTo(out);
        } catch (IOException e) {
            throw CommandFailure.error("logs", "cannot read " + file + ": " + e.getMessage());
        }
    }
}
