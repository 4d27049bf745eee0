package io.berth.cli;

import io.berth.cli.MeshClient.NoAnswer;
import io.berth.cli.SubmissionPost.Submitted;
import io.berth.client.Answer;
import io.berth.client.Job;
import java.time.Duration;
import java.util.List;

/// The watching of a job until it has ended, over restarts of the gateway.
final class JobWait {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final Terminal terminal;
    private final MeshClient client;
    private boolean told;

    JobWait(Terminal terminal, MeshClient client) {
        this.terminal = terminal;
        this.client = client;
    }

    /// The exit code of `sbatch --wait`: the job's [Job#exitStatus], the highest of an array's
    /// tasks.
    int untilEnd(Submitted submitted) throws CommandFailure {
        Duration pause = FIRST_PAUSE;
        while (true) {
            List<Job> jobs = look(submitted);
            if (!jobs.isEmpty() && jobs.stream().allMatch(Job::over)) {
                return jobs.stream().mapToInt(Job::exitStatus).max().orElse(0);
            }
            terminal.pause().await(pause);
            pause = pause.multipliedBy(3).dividedBy(2);
            pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
        }
    }

    /// The job, or the tasks of the array, as they are; empty if the gateway cannot say now.
    private List<Job> look(Submitted submitted) throws CommandFailure {
        String position = submitted.position();
        try {
            Answer answer =
                    client.send(
                            "GET",
                            (submitted.array() ? "/v1/jobs?job=" : "/v1/jobs/") + submitted.job(),
                            null,
                            position == null ? List.of() : List.of(Answer.POSITION, position));
            if (answer.ok()) {
                return submitted.array()
                        ? answer.body().objects("jobs").stream().map(Job::of).toList()
                        : List.of(Job.of(answer.body()));
            }
            if (answer.status() / 100 == 4) {
                throw CommandFailure.error("sbatch", answer.detail());
            }
            tell(answer.detail());
        } catch (NoAnswer e) {
            tell(String.valueOf(e.getMessage()));
        }
        return List.of();
    }

    private void tell(String why) {
        if (!told) {
            terminal.err().print("sbatch: " + why + ": still waiting for the job\n");
            terminal.err().flush();
            told = true;
        }
    }
}
