package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SdiagTest {

    /// What the gateway and placement would say, here of one service.
    static final String METRICS =
            """
            # HELP berth_submissions_total by what became of them
            berth_submissions_total{code="accepted"} 29.0
            berth_submissions_total{code="invalid_partition"} 3.0
            training_job_scheduling_duration_seconds_count{job_type="cpu",queue="a,b\\"}",result="placed"} 10.0
            training_job_scheduling_duration_seconds_count{job_type="multi_gpu",queue="batch",result="placed"} 6.0
            training_job_scheduling_duration_seconds_count{job_type="cpu",queue="batch",result="cancelled"} 1.0
            training_job_completion_seconds_count{job_type="cpu",queue="batch",status="completed"} 12.0
            training_job_completion_seconds_count{job_type="cpu",queue="batch",status="cancelled"} 1.0
            training_job_completion_seconds_count{job_type="cpu",queue="batch",status="failed"} 2.0
            training_job_completion_seconds_count{job_type="cpu",queue="batch",status="timeout"} 1.0
            berth_jobs{state="PENDING"} 8.0
            berth_jobs{state="RUNNING"} 4.0
            berth_placement_decision_seconds_count 22.0
            berth_placement_decision_seconds_sum 0.00759
            berth_placement_decision_seconds_max 0.006078
            berth_placement_transaction_seconds_sum 0.22
            berth_placement_transaction_seconds_max 0.031
            berth_placement_backfilled_jobs_total 3.0
            berth_placement_pass_seconds_count{pass="start"} 20.0
            berth_placement_pass_seconds_count{pass="plan"} 4.0
            berth_placement_pass_seconds_sum{pass="start"} 0.004
            berth_placement_pass_seconds_sum{pass="plan"} 0.005152
            berth_placement_pass_seconds_max{pass="start"} 0.001
            berth_placement_pass_seconds_max{pass="plan"} 0.001489
            berth_placement_pass_depth_sum{pass="start"} 40.0
            berth_placement_pass_depth_sum{pass="plan"} 32.0
            berth_placement_pass_last_seconds{pass="start"} 0.0001
            berth_placement_pass_last_seconds{pass="plan"} 0.001453
            berth_placement_pass_last_depth{pass="plan"} 11.0
            berth_placement_pass_last_planned{pass="start"} 6.0
            berth_placement_pass_last_planned{pass="plan"} 5.0
            berth_placement_pass_last_timestamp_seconds{pass="plan"} 1.795168861E9
            berth_placement_leading 1.0
            berth_placement_unread_records{topic="submissions"} NaN
            berth_placement_unread_records{topic="runs"} 2.0
            training_job_queue_length{priority="normal",queue="batch"} 5.0
            training_job_queue_length{priority="high",queue="batch"} 3.0
            process_start_time_seconds 1.795168794E9
            """;

    private final FakeMesh mesh = new FakeMesh().on("GET", "/q/metrics", METRICS);

    @AfterEach
    void close() {
        mesh.close();
    }

    private Outcome run(String... words) {
        return new CommandRun(mesh).with("BERTH_PLACEMENT_URL", mesh.url()).run(words);
    }

    @Test
    void what_the_scheduler_did_is_listed_as_slurm_lists_it() {
        assertThat(run("sdiag").out())
                .isEqualTo(
                        """
                        *******************************************************
                        sdiag output at Fri Nov 20 10:01:06 2026 (1795168866)
                        Data since      Fri Nov 20 09:59:54 2026 (1795168794)
                        *******************************************************
                        Jobs submitted: 29
                        Jobs started:   16
                        Jobs completed: 12
                        Jobs canceled:  1
                        Jobs failed:    3

                        Job states ts:  Fri Nov 20 10:01:06 2026 (1795168866)
                        Jobs pending:   8
                        Jobs running:   4
                        Queue health:   66% of 12 jobs wait, more than 30%

                        Main schedule statistics (microseconds):
                        \tMax cycle:    6078
                        \tTotal cycles: 22
                        \tMean cycle:   345
                        \tMean depth cycle:  2
                        \tLast queue length: 8

                        Backfilling stats
                        \tTotal backfilled jobs (since last slurm start): 3
                        \tTotal cycles: 4
                        \tLast cycle when: Fri Nov 20 10:01:01 2026 (1795168861)
                        \tLast cycle: 1453
                        \tMax cycle:  1489
                        \tMean cycle: 1288
                        \tLast depth cycle: 11
                        \tDepth Mean: 8
                        \tLast queue length: 8
                        \tPlanned jobs: 5

                        Log statistics (microseconds):
                        \tMax write:    31000
                        \tMean write:   10000
                        \tUnread records: 2
                        """);
    }

    @Test
    void before_the_first_job_there_are_no_figures_and_the_queue_is_well() {
        try (var idle = new FakeMesh().on("GET", "/q/metrics", "berth_placement_leading 1.0\n")) {
            assertThat(
                            new CommandRun(idle)
                                    .with("BERTH_PLACEMENT_URL", idle.url())
                                    .run("sdiag")
                                    .out())
                    .contains("Queue health:   0% of 0 jobs wait\n", "\tLast cycle when: N/A\n");
        }
    }

    @Test
    void programs_read_the_same_as_json() {
        assertThat(run("sdiag", "--json").out())
                .contains(
                        "\"schedule_cycle_mean\" : 345",
                        "\"jobs_submitted\" : 29",
                        "\"bf_depth_mean\" : 8");
    }

    @Test
    void what_cannot_be_done_is_said() {
        assertThat(run("sdiag", "-r"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "sdiag: error: --reset is not supported: the figures are those of the metrics\n"));
        assertThat(
                        new CommandRun(mesh)
                                .with("BERTH_PLACEMENT_URL", mesh.url() + "/nowhere")
                                .run("sdiag")
                                .err())
                .startsWith("sdiag: error: no metrics from " + mesh.url() + "/nowhere/q/metrics: ");
    }
}
