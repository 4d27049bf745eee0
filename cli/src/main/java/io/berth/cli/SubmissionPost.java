package io.berth.cli;

import io.berth.cli.MeshClient.NoAnswer;
import io.berth.client.Answer;
import io.berth.client.SubmissionJson;
import io.berth.slurm.JobSubmission;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The sending of one submission, so that it arrives once: each attempt carries the same
/// idempotency key, and attempts without a certain outcome are [repeated][Retries].
final class SubmissionPost {

    /// What a gateway answers that has not begun with the request.
    private static final int BUSY = 429;

    static final Voice SBATCH = new Voice("sbatch", "Batch job submission failed: ");

    private final Terminal terminal;
    private final MeshClient client;
    private final Voice voice;

    SubmissionPost(Terminal terminal, MeshClient client) {
        this(terminal, client, SBATCH);
    }

    SubmissionPost(Terminal terminal, MeshClient client, Voice voice) {
        this.terminal = terminal;
        this.client = client;
        this.voice = voice;
    }

    /// The command that a failure is told by.
    ///
    /// @param failed how Slurm begins the line
    record Voice(String command, String failed) {

        private CommandFailure lines(String... lines) {
            var text = new StringBuilder();
            for (String line : lines) {
                text.append(command).append(": error: ").append(line).append('\n');
            }
            return new CommandFailure(1, text.toString());
        }
    }

    /// An accepted job.
    ///
    /// @param position with which the gateway's next answers know of it
    /// @param array whether the job is the first task of an array
    record Submitted(long job, @Nullable String position, boolean array) {}

    Submitted send(JobSubmission job) throws CommandFailure {
        String body = SubmissionJson.of(job);
        var headers = new ArrayList<>(List.of("Idempotency-Key", UUID.randomUUID().toString()));
        String trace = terminal.variable("TRACEPARENT", "");
        if (trace.matches("[0-9a-f-]+")) {
            headers.addAll(List.of("traceparent", trace));
        }
        var retries = new Retries(terminal, voice.command());
        boolean nothingDone = true;
        while (true) {
            String why;
            try {
                Answer answer = client.submit(body, headers);
                if (answer.ok()) {
                    return new Submitted(
                            answer.body().number("id"),
                            answer.position(),
                            answer.body().has("arrayJob"));
                }
                if (!answer.unavailable()) {
                    throw refused(answer, job, voice);
                }
                why = answer.detail();
                nothingDone &= answer.status() == BUSY;
            } catch (NoAnswer e) {
                why = String.valueOf(e.getMessage());
                nothingDone &= e.nothingDone();
            }
            if (!retries.again(why)) {
                throw CommandFailure.error(
                        voice.command(),
                        voice.failed()
                                + "Unable to contact the gateway: "
                                + why
                                + (nothingDone
                                        ? ""
                                        : "; the job may have been accepted: squeue tells"));
            }
        }
    }

    /// The refusal in Slurm's words where it has some.
    static CommandFailure refused(Answer answer, JobSubmission job) {
        return refused(answer, job, SBATCH);
    }

    /// The same, as this command tells it.
    static CommandFailure refused(Answer answer, JobSubmission job, Voice voice) {
        return switch (answer.code()) {
            case "invalid_partition" ->
                    voice.lines(
                            job.partition() == null || !job.furtherComponents().isEmpty()
                                    ? answer.detail()
                                    : "invalid partition specified: " + job.partition(),
                            voice.failed() + "Invalid partition name specified");
            case "invalid_account" ->
                    voice.lines(
                            answer.detail(),
                            voice.failed()
                                    + "Invalid account or account/partition combination specified");
            case "invalid_node" ->
                    voice.lines(answer.detail(), voice.failed() + "Invalid node name specified");
            case "invalid_qos" ->
                    voice.lines(answer.detail(), voice.failed() + "Invalid qos specification");
            case "partition_closed" ->
                    voice.lines(
                            answer.detail(),
                            voice.failed()
                                    + "Required partition not available (inactive or drain)");
            case "limit_reached" ->
                    voice.lines(
                            answer.detail(),
                            voice.failed()
                                    + "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)");
            case "node_configuration_unavailable" ->
                    voice.lines(
                            answer.detail(),
                            voice.failed() + "Requested node configuration is not available");
            default -> voice.lines(answer.detail());
        };
    }
}
