package io.berth.cli;

import io.berth.cli.MeshClient.Answer;
import io.berth.cli.MeshClient.NoAnswer;
import io.berth.slurm.JobSubmission;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The sending of one submission, so that it arrives once: each attempt carries the same
/// idempotency key, and attempts without a certain outcome are repeated for 30 seconds.
final class SubmissionPost {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final String FAILED = "Batch job submission failed: ";

    private final Terminal terminal;
    private final MeshClient client;

    SubmissionPost(Terminal terminal, MeshClient client) {
        this.terminal = terminal;
        this.client = client;
    }

    /// An accepted job.
    ///
    /// @param position with which the gateway's next answers know of it
    /// @param array whether the job is the first task of an array
    record Submitted(long job, @Nullable String position, boolean array) {}

    Submitted send(JobSubmission job) throws CommandFailure {
        String body = SubmissionJson.of(job);
        List<String> headers = List.of("Idempotency-Key", UUID.randomUUID().toString());
        long deadline = terminal.now() + PATIENCE.toMillis();
        Duration pause = FIRST_PAUSE;
        boolean told = false;
        while (true) {
            String why;
            try {
                Answer answer = client.send("POST", "/v1/jobs", body, headers);
                if (answer.ok()) {
                    return new Submitted(
                            answer.body().number("id"),
                            answer.position(),
                            answer.body().has("arrayJob"));
                }
                if (!answer.unavailable()) {
                    throw refused(answer, job);
                }
                why = answer.detail();
            } catch (NoAnswer e) {
                why = String.valueOf(e.getMessage());
            }
            if (terminal.now() + pause.toMillis() > deadline) {
                throw CommandFailure.error(
                        "sbatch", FAILED + "Unable to contact the gateway: " + why);
            }
            if (!told) {
                terminal.err()
                        .print(
                                "sbatch: "
                                        + why
                                        + ": trying again for "
                                        + PATIENCE.toSeconds()
                                        + " s\n");
                terminal.err().flush();
                told = true;
            }
            terminal.pause().await(pause);
            pause = pause.multipliedBy(2);
            pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
        }
    }

    /// The refusal in Slurm's words where it has some.
    static CommandFailure refused(Answer answer, JobSubmission job) {
        return switch (answer.code()) {
            case "invalid_partition" ->
                    lines(
                            job.partition() == null
                                    ? answer.detail()
                                    : "invalid partition specified: " + job.partition(),
                            FAILED + "Invalid partition name specified");
            case "invalid_account" ->
                    lines(
                            answer.detail(),
                            FAILED + "Invalid account or account/partition combination specified");
            case "invalid_node" -> lines(answer.detail(), FAILED + "Invalid node name specified");
            case "invalid_qos" -> lines(answer.detail(), FAILED + "Invalid qos specification");
            case "partition_closed" ->
                    lines(
                            answer.detail(),
                            FAILED + "Required partition not available (inactive or drain)");
            case "limit_reached" ->
                    lines(
                            answer.detail(),
                            FAILED
                                    + "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)");
            case "node_configuration_unavailable" ->
                    lines(
                            answer.detail(),
                            FAILED + "Requested node configuration is not available");
            default -> lines(answer.detail());
        };
    }

    private static CommandFailure lines(String... lines) {
        var text = new StringBuilder();
        for (String line : lines) {
            text.append("sbatch: error: ").append(line).append('\n');
        }
        return new CommandFailure(1, text.toString());
    }
}
