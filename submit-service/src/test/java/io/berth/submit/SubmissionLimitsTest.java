package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobState;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.QosRules.Flag;
import io.berth.submit.Admission.Decision.NotAdmitted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SubmissionLimitsTest {
    private static final JobDescription JOB = Samples.description("alice", "batch", 2);

    private final List<Job> jobs = new ArrayList<>();

    private static Configuration limited(Limit limit, long count, Flag... flags) {
        return Samples.configuration(it ->
                it instanceof Qos(var part, var name, var priority, _) && name.equals("normal")
                        ? new Qos(
                                part,
                                name,
                                priority,
                                new QosRules(
                                        "",
                                        List.of(flags),
                                        1000,
                                        0,
                                        List.of(),
                                        null,
                                        new Limits(Map.of(limit, count), Map.of())))
                        : it);
    }

    private void known(String user, JobState state) {
        long id = jobs.size() + 1L;
        jobs.add(
                new JobFold()
                        .job(
                                Samples.status(
                                        id,
                                        Samples.description(user, "batch", 1),
                                        state,
                                        Reason.NONE,
                                        Rank.NONE),
                                0));
    }

    private @Nullable Refusal refused(Configuration configuration) {
        return refused(configuration, 1);
    }

    private @Nullable Refusal refused(Configuration configuration, int count) {
        try {
            new SubmissionLimits().check(configuration, List.of(JOB), count, jobs::stream);
            return null;
        } catch (Refused e) {
            return e.refusal();
        }
    }

    @Test
    void a_user_with_as_many_jobs_as_his_qos_lets_him_submit_may_submit_no_more() {
        known("alice", JobState.PENDING);
        known("alice", JobState.RUNNING);

        Refusal refused = refused(limited(Limit.MAX_SUBMIT_JOBS, 2));

        assertThat(refused)
                .extracting(Refusal::code, Refusal::detail)
                .containsExactly(
                        "limit_reached",
                        "QOSMaxSubmitJobPerUserLimit: a limit of account team_a, of user alice in it, or of QOS normal");
    }

    @Test
    void each_task_of_an_array_counts() {
        known("alice", JobState.PENDING);

        assertThat(refused(limited(Limit.MAX_SUBMIT_JOBS, 4), 3)).isNull();
        assertThat(refused(limited(Limit.MAX_SUBMIT_JOBS, 3), 3))
                .extracting(Refusal::code)
                .isEqualTo("limit_reached");
    }

    @Test
    void jobs_of_others_and_jobs_that_ended_do_not_count() {
        known("alice", JobState.COMPLETED);
        known("alice", JobState.CANCELLED);
        known("bob", JobState.PENDING);

        assertThat(refused(limited(Limit.MAX_SUBMIT_JOBS, 1))).isNull();
    }

    @Test
    void submissions_of_one_request_count_for_one_another_and_a_refused_one_for_none()
            throws Refused {
        known("alice", JobState.PENDING);
        var tally = new SubmissionLimits().tally(limited(Limit.MAX_SUBMIT_JOBS, 4), jobs::stream);
        tally.add(List.of(JOB), 1);

        assertThatThrownBy(() -> tally.add(List.of(JOB), 3)).isInstanceOf(Refused.class);

        tally.add(List.of(JOB), 2);
        assertThatThrownBy(() -> tally.add(List.of(JOB), 1)).isInstanceOf(Refused.class);
    }

    @Test
    void components_count_together_and_a_set_that_is_refused_for_none() throws Refused {
        var tally = new SubmissionLimits().tally(limited(Limit.MAX_SUBMIT_JOBS, 3), jobs::stream);

        assertThatThrownBy(() -> tally.add(List.of(JOB, JOB, JOB, JOB), 1))
                .isInstanceOf(Refused.class);

        tally.add(List.of(JOB, JOB, JOB), 1);
        assertThatThrownBy(() -> tally.add(List.of(JOB), 1)).isInstanceOf(Refused.class);
    }

    @Test
    void a_job_that_can_never_run_waits_unless_its_qos_denies_it() {
        assertThat(refused(limited(Limit.MAX_WALL, 59))).isNull();
        assertThat(refused(limited(Limit.MAX_WALL, 60, Flag.DENY_ON_LIMIT))).isNull();
        assertThat(refused(limited(Limit.MAX_WALL, 59, Flag.DENY_ON_LIMIT)))
                .extracting(Refusal::detail)
                .asString()
                .startsWith("QOSMaxWallDurationPerJobLimit:");
    }

    @ParameterizedTest
    @CsvSource({
        "DRAIN, '', '', partition_closed, is DRAIN and takes no jobs",
        "INACTIVE, '', '', partition_closed, is INACTIVE and takes no jobs",
        "UP, team_b, '', invalid_account, account team_a is not allowed in partition batch",
        "UP, '', high, invalid_qos, QOS normal is not allowed in partition batch",
    })
    void a_partition_that_does_not_let_the_job_in_refuses_it(
            State state, String account, String qos, String code, String detail) {
        var rules =
                new PartitionRules(
                        state,
                        1,
                        0,
                        0,
                        account.isEmpty() ? List.of() : List.of(account),
                        List.of(),
                        qos.isEmpty() ? List.of() : List.of(qos),
                        List.of(),
                        null,
                        null,
                        0,
                        false,
                        null);
        Configuration configuration =
                Samples.configuration(
                        it -> it instanceof Partition p ? Samples.with(p, rules) : it);
        var alice = new Caller("alice", AdminLevel.NONE, "10.0.0.1");

        var decision =
                new Admission(configuration, Samples.NODES, alice, 10_001, 0)
                        .decide(Asked.fields("default"));

        assertThat(decision)
                .isInstanceOfSatisfying(
                        NotAdmitted.class,
                        it -> {
                            assertThat(it.refusal().code()).isEqualTo(code);
                            assertThat(it.refusal().detail()).contains(detail);
                        });
    }
}
