package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.cli.FakeMesh.Reply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What `sattach` says before it attaches. The streams are tried with a mesh.
class SattachTest {
    private final FakeMesh mesh = new FakeMesh();

    @AfterEach
    void close() {
        mesh.close();
    }

    private Outcome run(int tasks, String... words) {
        mesh.on(
                "GET",
                "/v1/jobs/17",
                """
                {"id":17,"state":"RUNNING","tasks":%d,"nodeList":"gpu-[1-2]",
                 "allocations":[{"node":"gpu-1","tasks":%d},{"node":"gpu-2","tasks":1}]}\
                """
                        .formatted(tasks, tasks - 1));
        mesh.on("GET", "/v1/jobs/18", "{\"id\":18,\"state\":\"PENDING\",\"allocations\":[]}");
        mesh.on(
                "GET",
                "/v1/jobs/19",
                "{\"id\":19,\"state\":\"COMPLETED\",\"allocations\":[{\"node\":\"gpu-1\"}]}");
        mesh.on(
                "POST",
                "/v1/jobs/17/steps/0/attach",
                new Reply(
                        201, "{\"path\":\"/v1/sessions/x\",\"secret\":\"s\",\"terminal\":false}"));
        mesh.on(
                "POST",
                "/v1/jobs/17/steps/3/attach",
                Reply.problem(404, "step_not_found", "job 17 has no step '3' to attach to"));
        var all = new ArrayList<String>();
        all.add("sattach");
        all.addAll(List.of(words));
        return new CommandRun(mesh).run(all.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    1 | 17                         | '17' is no step: one is named JOB.STEP, such as 17.0
                    1 | 17.batch                   | '17.batch' is no step: one is named JOB.STEP, such as 17.0
                    1 | 17_[1-3].0                 | '17_[1-3].0' is no step: one is named JOB.STEP, such as 17.0
                    1 | 17.0 18.0                  | '17.0 18.0' is no step: one is named JOB.STEP, such as 17.0
                    1 | -Q                         | which step? 'sattach JOB.STEP', such as 17.0
                    1 | 17.3                       | job 17 has no step '3' to attach to
                    1 | --layout 17.99             | could not get job step info: job 17 has no step 99 that can be attached to: 0 may be one
                    1 | --layout 18.0              | could not get job step info: job 18 is PENDING
                    1 | --layout 19.0              | could not get job step info: job 19 is COMPLETED
                    1 | -Q -v 17.0                 | don't specify both --verbose (-v) and --quiet (-Q)
                    1 | --pty --input-filter=0 17.0 | don't specify both --pty and I/O filtering
                    1 | --pty 17.0                 | 17.0 has no terminal: srun --pty gives one
                    1 | --error-filter=x 17.0      | --error-filter is the number of a task, not 'x'
                    1 | --output-filter=1 17.0     | --output-filter: the step has no task but 0
                    3 | --input-filter=0 17.0      | --input-filter: the streams of the step's 3 tasks come together in its job
                    3 | --label 17.0               | --label: the streams of the step's 3 tasks come together in its job; srun -l labels them there
                    """)
    void what_cannot_be_is_said_in_one_line(int tasks, String words, String why) {
        assertThat(run(tasks, words.split(" ")))
                .isEqualTo(new Outcome(1, "", "sattach: error: " + why + "\n"));
    }

    @Test
    void the_layout_is_told_as_slurm_tells_it() {
        assertThat(run(3, "--layout", "17.0"))
                .isEqualTo(
                        new Outcome(
                                0,
                                "Job step layout:\n\t3 tasks, 2 nodes (gpu-[1-2])\n\n"
                                        + "\tNode 0 (gpu-1), 2 task(s): 0 1 \n"
                                        + "\tNode 1 (gpu-2), 1 task(s): 2 \n",
                                ""));
    }
}
