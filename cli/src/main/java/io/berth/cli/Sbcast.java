package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.client.Answer;
import io.berth.slurm.OptionName.Argument;
import io.berth.slurm.session.Frame;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// `sbcast`: copies a file of this machine to all nodes of a job that runs, whose own `sbcast`
/// takes it there.
///
/// Source: sbcast(1) of Slurm 22.05.
final class Sbcast implements Command {

    private static final long ANSWER_SECONDS = 30;
    private static final String NOTHING = "nothing: the file goes as it is, from here to each node";

    private static final List<CliOption> OPTIONS =
            List.of(
                    new CliOption("compress", 'C', Argument.OPTIONAL, NOTHING),
                    valued("fanout", 'F', NOTHING),
                    flag("force", 'f', "replace files that are there").from("SBCAST_FORCE"),
                    flag("help", '\0', "this text"),
                    valued("jobid", 'j', "the job, else SLURM_JOB_ID"),
                    flag("preserve", 'p', "with the times of the file").from("SBCAST_PRESERVE"),
                    valued("size", 's', "nothing: blocks have one size"),
                    valued("timeout", 't', "nothing: a node that is gone is seen to be so"),
                    CliOption.VERBOSE,
                    CliOption.USAGE,
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "sbcast [-f] [-p] [-j JOB] FILE DEST: copies a file to the nodes of a job";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        List<String> files = words.operands();
        if (files.size() != 2) {
            throw new CommandFailure(
                    1,
                    "Need two file names, have %d names\nTry \"sbcast --help\" for more information\n"
                            .formatted(files.size()));
        }
        String job = words.value("jobid", terminal.variable("SLURM_JOB_ID", ""));
        if (job.isEmpty()) {
            throw failure(
                    "Need a job id to run this command.  Run from within a Slurm job or use the"
                            + " --jobid option.");
        }
        if (!JobIds.names(job) || !JobIds.one(job)) {
            throw failure("Invalid --jobid specification: '%s' is no job".formatted(job));
        }
        var file = HandedFile.of(terminal, "sbcast", files.getFirst());
        var command = new ArrayList<>(List.of("env", "sbcast", "--caller=" + file.told().text()));
        for (String option : List.of("force", "preserve")) {
            if (words.has(option)) {
                command.add("--" + option);
            }
        }
        command.addAll(
                List.of(
                        "--",
                        files.getFirst(),
                        HandedFile.absolute(terminal.directory(), files.getLast())));
        MeshClient client = MeshClient.of(terminal, "sbcast");
        Answer answer = client.ask("POST", JobIds.path(job) + "/sessions", "{}");
        if (!answer.ok()) {
            throw failure(
                    "Slurm job ID %s lookup error: %s"
                            .formatted(
                                    job,
                                    answer.status() == 404
                                            ? "Invalid job id specified"
                                            : answer.detail()));
        }
        return send(
                terminal,
                client,
                JoinedSession.of(client, answer.body()),
                command,
                file,
                answer.body().text("node"));
    }

    private static CommandFailure failure(String line) {
        return CommandFailure.error("sbcast", line);
    }

    private static int send(
            Terminal terminal,
            MeshClient client,
            JoinedSession session,
            List<String> command,
            HandedFile file,
            String node)
            throws CommandFailure {
        var end = new Streams(terminal);
        try (var socket = session.connect(client, end::take)) {
            var unused = socket.closed().thenRun(end::lost);
            socket.send(session.step("", command));
            end.awaitStart(node);
            try (InputStream in = file.open()) {
                socket.sendInput(in);
            } catch (IOException e) {
                // What is gone there is told by its end; without all of the file nothing is done.
                if (!end.exit.isDone()) {
                    throw e;
                }
            }
            return end.exit.join();
        } catch (IOException e) {
            throw failure(String.valueOf(e.getMessage()));
        }
    }

    /// What the job's end says.
    private static final class Streams {
        private static final int LOST = 1;

        private final CompletableFuture<String> started = new CompletableFuture<>();
        private final CompletableFuture<Integer> exit = new CompletableFuture<>();
        private final Terminal terminal;

        Streams(Terminal terminal) {
            this.terminal = terminal;
        }

        void take(Frame frame) {
            switch (frame.channel()) {
                case OUTPUT, ERROR -> {
                    terminal.err().write(frame.payload(), 0, frame.payload().length);
                    terminal.err().flush();
                }
                case CONTROL -> {
                    List<String> words = frame.words();
                    switch (words.getFirst()) {
                        case "started" -> started.complete("");
                        case "refused" ->
                                started.complete(String.join(" ", words.subList(1, words.size())));
                        case "exit" -> exit.complete(Integer.parseInt(words.getLast()));
                        default -> {
                            // A newer end says more.
                        }
                    }
                }
                // That is this end's to send.
                case INPUT, BESIDE -> {}
            }
        }

        void lost() {
            started.complete("the connection is over");
            if (exit.complete(LOST)) {
                terminal.err().print("sbcast: error: lost the connection to the job\n");
                terminal.err().flush();
            }
        }

        /// @throws CommandFailure if the node brings no process in time, or cannot
        void awaitStart(String node) throws CommandFailure {
            String why;
            try {
                why = started.get(ANSWER_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException | ExecutionException e) {
                why = "node " + node + " does not answer";
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(
                        "a command that nobody interrupts was interrupted", e);
            }
            if (!why.isEmpty()) {
                throw failure(Printable.of(why));
            }
        }
    }
}
