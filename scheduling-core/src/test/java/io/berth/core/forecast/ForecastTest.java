package io.berth.core.forecast;

import static io.berth.core.testing.TestCell.cpus;
import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Dependency;
import io.berth.contracts.Dependency.Clause;
import io.berth.contracts.Dependency.Type;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobTerms;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.packing.Policies;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForecastTest {

    private static final Settings NO_PLAN = new Settings(Backfill.OFF, 0, Policies.TIGHTEST);

    private final TestCell cell = new TestCell();

    private Forecast forecast() {
        return new Forecast(cell.state, Settings.DEFAULT, cell.now);
    }

    private static JobDescription job(ResourceRequest request) {
        return job(request, 600);
    }

    private static JobDescription job(ResourceRequest request, long seconds) {
        return job("batch", request, seconds);
    }

    private static JobDescription job(String partition, ResourceRequest request, long seconds) {
        return TestCell.job(request, seconds).in(partition);
    }

    private void run(long id, ResourceRequest request) {
        cell.submit(id, request);
        cell.round();
        for (int part = 1; part <= request.nodes(); part++) {
            cell.started(id, 1, "n" + part);
        }
    }

    @Test
    void what_fits_now_starts_now() {
        cell.node("n1", 8, 8, "a100");
        Forecast forecast = forecast();

        Start start = forecast.start(forecast.submit(job(gpus(1, 8, null))));

        assertThat(start)
                .isEqualTo(
                        new Start(
                                new JobId(1),
                                "batch",
                                cell.now,
                                List.of(new NodeName("n1")),
                                1,
                                Reason.NONE));
    }

    @Test
    void what_ends_before_there_is_room_for_it_does_not_start() {
        cell.node("n1", 8, 8, "a100");
        run(1, gpus(1, 4, null));
        Forecast forecast = forecast();
        JobTerms soon = JobTerms.NONE.with(to -> to.deadlineAt = cell.now + 900_000);

        Start start = forecast.start(forecast.submit(job(gpus(1, 8, null)).on(soon)));

        assertThat(start.at()).isNull();
        assertThat(start.reason()).isEqualTo(Reason.DEADLINE);
    }

    @Test
    void what_does_not_fit_starts_when_a_run_has_reached_its_limit() {
        cell.node("n1", 8, 8, "a100");
        run(1, gpus(1, 4, null));
        Forecast forecast = forecast();

        Start start = forecast.start(forecast.submit(job(gpus(1, 8, null))));

        assertThat(start.at()).isBetween(cell.now + 600_000, cell.now + 700_000);
        assertThat(start.reason()).isEqualTo(Reason.RESOURCES);
    }

    @Test
    void without_a_plan_time_is_moved_on_until_it_starts() {
        cell.node("n1", 8, 8, "a100");
        run(1, gpus(1, 8, null));
        cell.submit(2, gpus(1, 8, null));
        cell.submit(3, gpus(1, 8, null));
        cell.rank(2, 100);
        cell.rank(3, 100);
        var forecast = new Forecast(cell.state, NO_PLAN, cell.now);

        Start start = forecast.start(forecast.submit(job(gpus(1, 8, null))));

        assertThat(start.at()).isEqualTo(cell.now + 3 * 600_000);
        assertThat(start.nodes()).containsExactly(new NodeName("n1"));
    }

    @Test
    void a_job_waits_for_the_one_that_it_depends_on() {
        cell.node("n1", 8, 8, "a100");
        run(1, gpus(1, 1, null));
        var after = new Dependency(false, List.of(new Clause(Type.AFTEROK, new JobId(1), null, 0)));
        var terms = JobTerms.NONE.with(to -> to.dependency = after);
        Forecast forecast = forecast();

        Start start = forecast.start(forecast.submit(job(gpus(1, 1, null)).on(terms)));

        assertThat(start.at()).isEqualTo(cell.now + 600_000);
    }

    @Test
    void a_gang_runs_to_its_limit_too() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        cell.submit(1, gpus(2, 8, null));
        cell.round();
        var forecast = new Forecast(cell.state, NO_PLAN, cell.now);

        Start start = forecast.start(forecast.submit(job(gpus(2, 8, null))));

        assertThat(start.at()).isEqualTo(cell.now + 600_000);
    }

    @Test
    void what_no_node_can_hold_never_starts() {
        cell.node("n1", 8, 8, "a100");
        Forecast forecast = forecast();

        Start start = forecast.start(forecast.submit(job(gpus(1, 9, null))));

        assertThat(start.at()).isNull();
        assertThat(start.reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
    }

    @Test
    void what_if_a_node_is_drained_and_what_if_there_was_one_more() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, gpus(1, 8, null));
        cell.submit(2, gpus(1, 8, null));
        Forecast fewer = forecast();
        Forecast more = forecast();

        fewer.take(
                new Input.NodeAsked(
                        new NodeRequest.DrainRequested(new NodeName("n1"), "root", "what if")));
        more.add(new NodeName("n1"), 1);

        assertThat(fewer.start(new JobId(1)).at()).isNull();
        assertThat(more.start(new JobId(2)).at()).isEqualTo(cell.now);
    }

    @Test
    void a_node_more_is_in_the_partitions_of_the_one_that_it_is_like() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        Forecast forecast = forecast();
        forecast.add(new NodeName("n2"), 2);
        ResourceRequest whole = gpus(1, 8, null);

        var starts = new ArrayList<Start>();
        for (int job = 0; job < 5; job++) {
            starts.add(forecast.start(forecast.submit(job("pair", whole, 600))));
        }

        assertThat(starts)
                .extracting(Start::at)
                .startsWith(cell.now, cell.now, cell.now, cell.now)
                .element(4)
                .isNotEqualTo(cell.now);
    }

    @Test
    void what_comes_true_was_foreseen() {
        cell.node("n1", 8, 8, "a100");
        run(1, gpus(1, 5, null));
        run(2, gpus(1, 2, null));
        cell.submit(3, gpus(1, 6, null));
        cell.submit(4, cpus(7));
        cell.round();
        Start foreseen = new Forecast(cell.state, NO_PLAN, cell.now).start(new JobId(3));

        cell.now += 600_000;
        cell.ended(1, 1, "n1", Cause.TIME_LIMIT, 0);
        cell.ended(2, 1, "n1", Cause.TIME_LIMIT, 0);
        cell.round();

        assertThat(cell.job(3).run())
                .extracting(JobStatus.Run::placedAt)
                .isEqualTo(foreseen.at())
                .isEqualTo(cell.now);
    }

    @Test
    void the_cell_itself_stays_as_it_is() {
        cell.node("n1", 8, 8, "a100");
        run(1, gpus(1, 8, null));
        cell.submit(2, gpus(1, 8, null));
        cell.round();
        var before = List.copyOf(cell.state.jobs());
        Forecast forecast = forecast();

        forecast.start(forecast.submit(job(gpus(1, 1, null))));

        assertThat(cell.state.jobs()).containsExactlyElementsOf(before);
        assertThat(cell.state.highestJob()).isEqualTo(2);
        assertThat(cell.state.copy().jobs()).containsExactlyElementsOf(before);
    }
}
