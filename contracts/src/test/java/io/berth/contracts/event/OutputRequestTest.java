package io.berth.contracts.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutputRequestTest {
    private static final NodeName NODE = new NodeName("gpu-01");
    private static final JobId JOB = new JobId(17);
    private static final String SESSION = "ws://gateway:7600/v1/sessions/ab12";

    private final OutputRequest asked =
            new OutputRequest(NODE, JOB, "alice", false, 0, false, SESSION, "secret", null);
    private final OutputRequest proven = asked.proven("the key");

    @Test
    void it_is_proven_by_the_key_that_it_was_made_with_and_by_no_other() {
        assertThat(proven.provenBy("the key")).isTrue();
        assertThat(proven.provenBy("another")).isFalse();
    }

    @Test
    void without_a_proof_it_is_not_proven() {
        assertThat(asked.provenBy("the key")).isFalse();
    }

    @Test
    void the_proof_is_good_for_what_was_asked_and_for_nothing_else() {
        String proof = proven.proof();
        var altered =
                List.of(
                        new OutputRequest(
                                new NodeName("gpu-02"),
                                JOB,
                                "alice",
                                false,
                                0,
                                false,
                                SESSION,
                                "secret",
                                proof),
                        new OutputRequest(
                                NODE,
                                new JobId(18),
                                "alice",
                                false,
                                0,
                                false,
                                SESSION,
                                "secret",
                                proof),
                        new OutputRequest(
                                NODE, JOB, "bob", false, 0, false, SESSION, "secret", proof),
                        new OutputRequest(
                                NODE, JOB, "alice", true, 0, false, SESSION, "secret", proof),
                        new OutputRequest(
                                NODE, JOB, "alice", false, 1, false, SESSION, "secret", proof),
                        new OutputRequest(
                                NODE, JOB, "alice", false, 0, true, SESSION, "secret", proof),
                        new OutputRequest(
                                NODE, JOB, "alice", false, 0, false, "ws://x/y", "secret", proof),
                        new OutputRequest(
                                NODE, JOB, "alice", false, 0, false, SESSION, "other", proof));

        assertThat(altered).noneMatch(it -> it.provenBy("the key"));
    }

    @Test
    void the_proof_of_a_step_is_none_of_output() {
        StepRequest step =
                StepRequest.proven(NODE, new RunId(JOB, 1), SESSION, "secret", "the key");
        var output =
                new OutputRequest(
                        NODE, JOB, "alice", false, 0, false, SESSION, "secret", step.proof());

        assertThat(output.provenBy("the key")).isFalse();
    }
}
