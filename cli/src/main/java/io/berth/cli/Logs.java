package io.berth.cli;

import static io.berth.cli.CliOption.flag;

import io.berth.cli.CliOption.Words;
import io.berth.cli.MeshClient.NoAnswer;
import io.berth.client.Answer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;

/// `berth logs`: what a job has written, as the agent of its node reads it.
final class Logs implements Command {

    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int BUFFER = 16 << 10;

    /// So often what a job wrote is asked for in vain: its node may be away for good.
    private static final int TRIES = 3;

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("error", 'e', "the error file, if the job has one of its own"),
                    flag("follow", 'f', "go on until the job has ended"),
                    flag("raw", 'r', "control characters as they are, to a terminal too"),
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
        var log = new Log(client, terminal, job.id(), words.has("error"));
        boolean shown = !words.has("raw") && LocalTerminal.shows(1);
        try (OutputStream out = shown ? new Printable(terminal.out()) : terminal.out()) {
            if (words.has("follow")) {
                follow(log, job, terminal, out);
            } else {
                copy(log, terminal, out);
            }
        } catch (IOException e) {
            throw CommandFailure.error("logs", String.valueOf(e.getMessage()));
        }
        return 0;
    }

    /// Copies what there is. What was cut off, as by a pager that nobody turned for a while, is
    /// gone on with.
    private static void copy(Log log, Terminal terminal, OutputStream out) throws CommandFailure {
        int tries = 0;
        while (true) {
            long before = log.read;
            String why;
            try {
                Answer answer = log.copy(false, out);
                if (answer.ok()) {
                    return;
                }
                why = answer.detail();
                tries = answer.unavailable() ? tries : TRIES;
            } catch (NoAnswer e) {
                why = String.valueOf(e.getMessage());
            }
            tries = log.read > before ? 0 : tries + 1;
            if (log.read == 0 || tries >= TRIES) {
                throw CommandFailure.error("logs", why);
            }
            terminal.pause().await(PAUSE);
        }
    }

    /// Copies until the job has ended and there is no more. What was cut off is gone on with.
    private static void follow(Log log, JobView job, Terminal terminal, OutputStream out)
            throws CommandFailure, IOException {
        JobView last = job;
        int tries = 0;
        String said = "";
        while (true) {
            boolean ended = last.ended();
            boolean whole = false;
            String why = "";
            long before = log.read;
            try {
                Answer answer = log.copy(true, out);
                whole = answer.ok();
                if (!whole) {
                    why = answer.detail();
                    if (!answer.unavailable() && (ended || answer.status() != 404)) {
                        throw CommandFailure.error("logs", why);
                    }
                }
            } catch (NoAnswer e) {
                // The gateway or the node is away: both may come back.
                why = String.valueOf(e.getMessage());
            }
            tries = log.read > before ? 0 : tries;
            if (ended && !whole && ++tries == TRIES) {
                throw CommandFailure.error("logs", why);
            }
            if (!whole && !why.equals(said)) {
                terminal.err().print("logs: " + why + ": waiting\n");
                terminal.err().flush();
                said = why;
            }
            if ((ended && whole) || terminal.out().checkError()) {
                return;
            }
            if (!whole || !last.ended()) {
                terminal.pause().await(PAUSE);
            }
            last = log.again(last);
        }
    }

    /// The output of a job, from the byte on that was not read yet.
    private static final class Log {
        private final MeshClient client;
        private final Terminal terminal;
        private final long job;
        private final String stream;
        private long read;

        Log(MeshClient client, Terminal terminal, long job, boolean error) {
            this.client = client;
            this.terminal = terminal;
            this.job = job;
            this.stream = error ? "err" : "out";
        }

        Answer copy(boolean follow, OutputStream out) throws NoAnswer {
            return client.stream(
                    "/v1/jobs/%d/output?stream=%s&offset=%d&follow=%s"
                            .formatted(job, stream, read, follow),
                    (from, bytes) -> {
                        read = from;
                        pass(bytes, out);
                    });
        }

        private void pass(InputStream bytes, OutputStream out) throws IOException {
            var buffer = new byte[BUFFER];
            for (int count = bytes.read(buffer); count >= 0; count = bytes.read(buffer)) {
                out.write(buffer, 0, count);
                out.flush();
                read += count;
                if (terminal.out().checkError()) {
                    // Nobody reads it any more.
                    return;
                }
            }
        }

        JobView again(JobView last) {
            try {
                Answer answer = client.send("GET", "/v1/jobs/" + job, null, List.of());
                return answer.ok() ? new JobView(answer.body()) : last;
            } catch (NoAnswer e) {
                return last;
            }
        }
    }
}
