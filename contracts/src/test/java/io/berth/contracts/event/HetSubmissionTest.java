package io.berth.contracts.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.berth.contracts.Amendment;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.HetComponent;
import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Submission.Submitted;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HetSubmissionTest {

    private static final Submitted SET =
            new Submitted(
                    new JobId(17),
                    job(1),
                    "alice",
                    new SpecReference(0, 5, "00"),
                    new IdempotencyKey("key", "00"),
                    null,
                    List.of(job(2), job(3)));

    private static JobDescription job(int nodes) {
        return new JobDescription(
                "alice",
                "team",
                "batch",
                "normal",
                "job",
                new ResourceRequest(
                        nodes, nodes, 1, MemoryRequest.perCpu(1024), new GpuRequest(1, null)),
                LaunchMode.BATCH,
                600,
                0,
                true);
    }

    @Test
    void each_component_is_a_job_of_the_set_with_the_specification_of_the_first() {
        List<Submitted> jobs = SET.jobs();

        assertThat(jobs)
                .extracting(it -> it.job().value(), it -> it.description().request().nodes())
                .containsExactly(tuple(17L, 1), tuple(18L, 2), tuple(19L, 3));
        assertThat(jobs)
                .allSatisfy(it -> {
                    assertThat(it.description().het())
                            .isEqualTo(new HetComponent(new JobId(17), 3));
                    assertThat(it.spec()).isEqualTo(SET.spec());
                });
        assertThat(jobs).extracting(Submitted::key).containsExactly(SET.key(), null, null);
    }

    @Test
    void only_the_first_component_has_a_program() {
        assertThat(SET.jobs())
                .extracting(it -> it.description().launch())
                .containsExactly(LaunchMode.BATCH, LaunchMode.HELD, LaunchMode.HELD);
    }

    @Test
    void a_component_that_is_amended_stays_in_its_set() {
        JobDescription component = SET.jobs().getLast().description();
        var change =
                new Amendment(
                        null, null, null, "other", null, null, null, null, JobTerms.NONE, null);

        assertThat(change.applied(component).het()).isEqualTo(component.het());
    }
}
