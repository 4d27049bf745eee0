package io.berth.cli;

import static io.berth.cli.CliOption.flag;

import io.berth.cli.CliOption.Words;
import io.berth.client.Mesh;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/// `sdiag`: what the scheduler has done since its start, and how long it took.
///
/// Source: sdiag(1) of Slurm 22.05. A round of Berth is Slurm's main cycle, and one that puts the
/// plan in order its backfill cycle too; what it has no figure for is left out.
final class Sdiag implements Command {

    private static final String NO_CALLS = "nothing: calls are told by the metrics";

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("all", 'a', "everything, as without it"),
                    flag("help", 'h', "this text"),
                    DataForm.OPTIONS.getFirst(),
                    DataForm.OPTIONS.getLast(),
                    flag("reset", 'r', "refused: the figures are those of the metrics"),
                    flag("sort-by-id", 'i', NO_CALLS),
                    flag("sort-by-time", 't', NO_CALLS),
                    flag("sort-by-time2", 'T', NO_CALLS),
                    CliOption.USAGE,
                    flag("version", 'V', "Berth's version"),
                    CliOption.CLUSTER);

    private static final String STARS = "*".repeat(55) + "\n";
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE MMM dd HH:mm:ss yyyy", Locale.ROOT);
    private static final Set<String> NOT_FAILED = Set.of("completed", "cancelled");
    private static final Set<String> LIVE = Set.of("PENDING", "RUNNING", "SUSPENDED", "COMPLETING");
    private static final double MICROS = 1e6;

    /// In percent: where more of the live jobs wait, the queue is not well.
    private static final long MOST_WAITING = 30;

    @Override
    public String synopsis() {
        return "sdiag [--json]: what the scheduler has done, and how long it took";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public boolean takesOperands() {
        return false;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        if (words.has("reset")) {
            throw CommandFailure.error(
                    "sdiag", "--reset is not supported: the figures are those of the metrics");
        }
        Mesh mesh = Mesh.of(terminal.surroundings());
        Map<String, Long> figures =
                figures(Metrics.of("sdiag", mesh.gateway()), Metrics.of("sdiag", mesh.placement()));
        DataForm form = DataForm.of(words);
        long now = terminal.clock().millis() / 1000;
        if (form != null) {
            figures.put("req_time", now);
            terminal.out().print(form.text(Map.of("statistics", figures)));
            return 0;
        }
        terminal.out().print(page(figures, now, terminal.zone().get()));
        return 0;
    }

    /// The figures by Slurm's names of them; Berth's own begin with `berth_`.
    private static Map<String, Long> figures(Metrics gateway, Metrics placement) {
        var figures = new TreeMap<String, Long>();
        figures.put(
                "jobs_submitted",
                gateway.sum("berth_submissions_total", it -> it.label("code").equals("accepted")));
        figures.put(
                "jobs_started",
                placement.sum(
                        "training_job_scheduling_duration_seconds_count",
                        it -> it.label("result").equals("placed")));
        figures.put("jobs_completed", ended(placement, "completed"::equals));
        figures.put("jobs_canceled", ended(placement, "cancelled"::equals));
        figures.put("jobs_failed", ended(placement, it -> !NOT_FAILED.contains(it)));
        figures.put("jobs_pending", state(placement, "PENDING"));
        figures.put("jobs_running", state(placement, "RUNNING"));
        figures.put(
                "berth_live_jobs",
                placement.sum("berth_jobs", it -> LIVE.contains(it.label("state"))));
        String rounds = "berth_placement_decision_seconds";
        long cycles = placement.sum(rounds + "_count", _ -> true);
        figures.put("schedule_cycle_total", cycles);
        figures.put("schedule_cycle_max", micros(placement, rounds + "_max"));
        figures.put(
                "schedule_cycle_mean",
                cycles == 0 ? 0 : micros(placement, rounds + "_sum") / cycles);
        figures.put("schedule_cycle_mean_depth", new Passes(placement, "start").meanDepth());
        long queue = placement.sum("training_job_queue_length", _ -> true);
        figures.put("schedule_queue_length", queue);
        putBackfill(figures, placement);
        figures.put("bf_queue_len", queue);
        String writes = "berth_placement_transaction_seconds";
        figures.put("berth_write_max", micros(placement, writes + "_max"));
        figures.put(
                "berth_write_mean", cycles == 0 ? 0 : micros(placement, writes + "_sum") / cycles);
        figures.put("berth_unread", placement.sum("berth_placement_unread_records", _ -> true));
        figures.put("berth_leading", placement.sum("berth_placement_leading", _ -> true));
        figures.put("berth_started_at", Math.round(placement.number("process_start_time_seconds")));
        return figures;
    }

    private static void putBackfill(Map<String, Long> figures, Metrics placement) {
        Passes plans = new Passes(placement, "plan");
        figures.put(
                "bf_backfilled_jobs",
                placement.sum("berth_placement_backfilled_jobs_total", _ -> true));
        figures.put("bf_cycle_counter", plans.count());
        figures.put("bf_when_last_cycle", Math.round(plans.figure("_last_timestamp_seconds")));
        figures.put("bf_cycle_last", micros(plans.figure("_last_seconds")));
        figures.put("bf_cycle_max", micros(plans.figure("_seconds_max")));
        figures.put("bf_cycle_mean", plans.mean(MICROS * plans.figure("_seconds_sum")));
        figures.put("bf_last_depth", Math.round(plans.figure("_last_depth")));
        figures.put("bf_depth_mean", plans.meanDepth());
        figures.put("berth_planned_jobs", Math.round(plans.figure("_last_planned")));
    }

    /// What is told of the passes of a kind.
    private record Passes(Metrics metrics, String kind) {

        double figure(String suffix) {
            return metrics.number(
                    "berth_placement_pass" + suffix, it -> it.label("pass").equals(kind));
        }

        long count() {
            return Math.round(figure("_seconds_count"));
        }

        long mean(double sum) {
            return count() == 0 ? 0 : Math.round(sum / count());
        }

        long meanDepth() {
            return mean(figure("_depth_sum"));
        }
    }

    private static long ended(Metrics placement, Predicate<String> how) {
        return placement.sum(
                "training_job_completion_seconds_count", it -> how.test(it.label("status")));
    }

    private static long state(Metrics placement, String state) {
        return placement.sum("berth_jobs", it -> it.label("state").equals(state));
    }

    private static long micros(Metrics metrics, String name) {
        return micros(metrics.number(name));
    }

    private static long micros(double seconds) {
        return Math.round(seconds * MICROS);
    }

    private static String page(Map<String, Long> figures, long now, ZoneId zone) {
        var page = new StringBuilder(STARS);
        page.append("sdiag output at ").append(date(now, zone)).append('\n');
        long start = figures.getOrDefault("berth_started_at", 0L);
        if (start > 0) {
            page.append("Data since      ").append(date(start, zone)).append('\n');
        }
        page.append(STARS);
        line(page, "Jobs submitted: ", "jobs_submitted", figures);
        line(page, "Jobs started:   ", "jobs_started", figures);
        line(page, "Jobs completed: ", "jobs_completed", figures);
        line(page, "Jobs canceled:  ", "jobs_canceled", figures);
        line(page, "Jobs failed:    ", "jobs_failed", figures);
        page.append("\nJob states ts:  ").append(date(now, zone)).append('\n');
        line(page, "Jobs pending:   ", "jobs_pending", figures);
        line(page, "Jobs running:   ", "jobs_running", figures);
        page.append("Queue health:   ").append(health(figures)).append('\n');
        page.append("\nMain schedule statistics (microseconds):\n");
        line(page, "\tMax cycle:    ", "schedule_cycle_max", figures);
        line(page, "\tTotal cycles: ", "schedule_cycle_total", figures);
        line(page, "\tMean cycle:   ", "schedule_cycle_mean", figures);
        line(page, "\tMean depth cycle:  ", "schedule_cycle_mean_depth", figures);
        line(page, "\tLast queue length: ", "schedule_queue_length", figures);
        page.append("\nBackfilling stats\n");
        String since = "\tTotal backfilled jobs (since last slurm start): ";
        line(page, since, "bf_backfilled_jobs", figures);
        line(page, "\tTotal cycles: ", "bf_cycle_counter", figures);
        long last = figures.getOrDefault("bf_when_last_cycle", 0L);
        page.append("\tLast cycle when: ")
                .append(last == 0 ? "N/A" : date(last, zone))
                .append('\n');
        line(page, "\tLast cycle: ", "bf_cycle_last", figures);
        line(page, "\tMax cycle:  ", "bf_cycle_max", figures);
        line(page, "\tMean cycle: ", "bf_cycle_mean", figures);
        line(page, "\tLast depth cycle: ", "bf_last_depth", figures);
        line(page, "\tDepth Mean: ", "bf_depth_mean", figures);
        line(page, "\tLast queue length: ", "bf_queue_len", figures);
        line(page, "\tPlanned jobs: ", "berth_planned_jobs", figures);
        page.append("\nLog statistics (microseconds):\n");
        line(page, "\tMax write:    ", "berth_write_max", figures);
        line(page, "\tMean write:   ", "berth_write_mean", figures);
        line(page, "\tUnread records: ", "berth_unread", figures);
        return page.toString();
    }

    /// Whether too many jobs wait.
    private static String health(Map<String, Long> figures) {
        long live = figures.getOrDefault("berth_live_jobs", 0L);
        long waiting = live == 0 ? 0 : 100 * figures.getOrDefault("jobs_pending", 0L) / live;
        return "%d%% of %d jobs wait%s"
                .formatted(
                        waiting,
                        live,
                        waiting > MOST_WAITING ? ", more than " + MOST_WAITING + "%" : "");
    }

    private static void line(
            StringBuilder page, String title, String figure, Map<String, Long> figures) {
        page.append(title).append(figures.getOrDefault(figure, 0L)).append('\n');
    }

    private static String date(long seconds, ZoneId zone) {
        return "%s (%d)"
                .formatted(DATE.format(Instant.ofEpochSecond(seconds).atZone(zone)), seconds);
    }
}
