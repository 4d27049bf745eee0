package io.berth.contracts.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepRequestTest {
    private static final NodeName NODE = new NodeName("gpu-01");
    private static final RunId RUN = new RunId(new JobId(17), 1);
    private static final String SESSION = "ws://gateway:7600/v1/sessions/ab12";

    private final StepRequest request = StepRequest.proven(NODE, RUN, SESSION, "secret", "the key");

    @Test
    void it_is_proven_by_the_key_that_it_was_made_with_and_by_no_other() {
        assertThat(request.provenBy("the key")).isTrue();
        assertThat(request.provenBy("another")).isFalse();
    }

    @Test
    void the_proof_is_good_for_what_was_asked_and_for_nothing_else() {
        var altered =
                List.of(
                        new StepRequest(
                                new NodeName("gpu-02"), RUN, SESSION, "secret", request.proof()),
                        new StepRequest(
                                NODE,
                                new RunId(new JobId(17), 2),
                                SESSION,
                                "secret",
                                request.proof()),
                        new StepRequest(NODE, RUN, "ws://elsewhere/x", "secret", request.proof()),
                        new StepRequest(NODE, RUN, SESSION, "other", request.proof()),
                        new StepRequest(NODE, RUN, SESSION, "secret", ""));

        assertThat(altered).noneMatch(it -> it.provenBy("the key"));
    }
}
