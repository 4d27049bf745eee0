package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.JobDescription;
import io.berth.contracts.Sharing;
import io.berth.contracts.config.Configuration;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Admission.Decision;
import io.berth.submit.Admission.Decision.Admitted;
import io.berth.submit.Admission.Decision.NotAdmitted;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Jobs that name several partitions.
final class PartitionListsTest {

    private static final Caller ALICE = new Caller("alice", AdminLevel.NONE, "10.0.0.1");

    private static Decision decide(Configuration configuration, String fields) {
        return decide(configuration, Asked.fields(fields));
    }

    private static Decision decide(Configuration configuration, JobSubmission asked) {
        return new Admission(configuration, Samples.NODES, ALICE, 10_001, 0).decide(asked);
    }

    private static JobDescription admitted(Configuration configuration, String fields) {
        return ((Admitted) decide(configuration, fields)).description();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    partition=cpu,batch        | cpu   | cpu,batch | 0
                    partition=batch,cpu        | batch | batch,cpu | 3600
                    partition=batch,batch      | batch | batch     | 3600
                    partition=cpu,batch gpus=1 | batch | batch     | 3600
                    """)
    void a_job_may_start_in_those_that_have_nothing_against_it_and_is_as_the_first_has_it(
            String fields, String first, String all, long limit) {
        JobDescription job = admitted(Samples.configuration(), fields);

        assertThat(job.partition()).isEqualTo(first);
        assertThat(job.partitions()).isEqualTo(List.of(all.split(",")));
        assertThat(job.timeLimitSeconds()).isEqualTo(limit);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    partition=batch,gone     | partition 'gone' does not exist; there are: batch, cpu, later
                    partition=batch,         | partition '' does not exist; there are: batch, cpu, later
                    partition=cpu,cpu gpus=1 | Requested node configuration is not available in partition cpu: 1 GPUs on one node, and the largest has 0 (plain-01)
                    """)
    void a_name_that_is_none_is_refused_and_so_is_what_the_first_refuses_where_all_do(
            String fields, String detail) {
        var refused = (NotAdmitted) decide(Samples.configuration(), fields);

        assertThat(refused.refusal().detail()).isEqualTo(detail);
    }

    @Test
    void a_job_has_its_nodes_alone_wherever_it_starts_if_one_of_its_partitions_gives_whole_nodes() {
        var configuration = Samples.configuration(it -> Samples.exclusive("cpu", it));

        JobDescription job = admitted(configuration, "partition=batch,cpu");

        assertThat(job.partitions()).containsExactly("batch", "cpu");
        assertThat(job.request().where().sharing()).isEqualTo(Sharing.NODE);
    }

    @Test
    void a_component_of_a_set_is_in_one_partition() {
        var asked =
                Asked.with(
                        Map.of(
                                "partition",
                                "batch,cpu",
                                "components",
                                List.of(Map.of("partition", "batch"))));

        var refused = (NotAdmitted) decide(Samples.configuration(), asked);

        assertThat(refused.refusal().detail())
                .isEqualTo(
                        "a component of a heterogeneous job may start in one partition, not in one of batch, cpu");
    }
}
