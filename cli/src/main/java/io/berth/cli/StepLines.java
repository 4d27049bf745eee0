package io.berth.cli;

import io.berth.cli.CliOption.Words;
import io.berth.cli.JobField.Moment;
import io.berth.client.JsonObject;
import io.berth.client.Query;
import io.berth.contracts.JobState;
import io.berth.slurm.HostList;
import io.berth.slurm.SlurmTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// `squeue --steps`: the scripts and steps of running jobs.
///
/// Source: squeue(1) of Slurm 22.05, `--steps` and `--format` for steps.
final class StepLines {

    private static final String FORMAT = "%.15i %.8j %.9P %.8u %.9M %N";

    /// What `--steps` names: `17.0`, `17_4.batch`, `17+1.0`, or all of `17`.
    private static final String NAMED = "[0-9]+([_+][0-9]+)?(\\.([0-9]{1,9}|batch))?";

    /// Options that have no meaning for steps, or none yet.
    private static final List<String> OF_JOBS = List.of("Format", "sort", "start");

    private final Layout<Field> layout;
    private final Set<String> named;

    private StepLines(Layout<Field> layout, Set<String> named) {
        this.layout = layout;
        this.named = named;
    }

    /// A column.
    private enum Field {
        TASKS('A', "TASKS"),
        STEP_ID('i', "STEPID"),
        NAME('j', "NAME"),
        TIME_LIMIT('l', "TIME_LIMIT"),
        TIME('M', "TIME"),
        NODELIST('N', "NODELIST"),
        PARTITION('P', "PARTITION"),
        START_TIME('S', "START_TIME"),
        USER('u', "USER");

        private final char letter;
        private final String header;

        Field(char letter, String header) {
            this.letter = letter;
            this.header = header;
        }

        static @Nullable Field of(char letter) {
            for (Field field : values()) {
                if (field.letter == letter) {
                    return field;
                }
            }
            return null;
        }

        String value(Line line, Moment moment) {
            return switch (this) {
                case TASKS -> Long.toString(line.tasks());
                case STEP_ID -> line.id();
                case NAME -> line.name();
                case TIME_LIMIT -> JobField.TIME_LIMIT.value(line.job(), moment);
                case TIME -> {
                    OptionalLong seconds = line.seconds(moment.now());
                    yield seconds.isEmpty() ? "" : SlurmTime.brief(seconds.getAsLong());
                }
                case NODELIST -> HostList.compress(line.nodes());
                case PARTITION -> JobField.PARTITION.value(line.job(), moment);
                case START_TIME -> moment.iso(line.began());
                case USER -> JobField.USER.value(line.job(), moment);
            };
        }
    }

    /// A script or a step.
    ///
    /// @param step its number, or `batch`
    /// @param began epoch milliseconds; 0 if it was not told
    private record Line(
            JobView job, String step, String name, long tasks, long began, List<String> nodes) {

        String id() {
            return job.name() + "." + step;
        }

        Map<String, @Nullable Object> data(long now) {
            return StepData.fields(job, step, name, tasks, began, nodes, now);
        }

        OptionalLong seconds(long now) {
            return StepData.seconds(job, step, began, now);
        }
    }

    /// What a command line asks for: without a list all of them.
    ///
    /// @throws CommandFailure if one is no step, or a column is unknown
    static StepLines of(Words words) throws CommandFailure {
        for (String other : OF_JOBS) {
            if (words.typed(other)) {
                throw CommandFailure.error("squeue", "--" + other + " is not for --steps");
            }
        }
        List<String> named = words.list("steps");
        for (String each : named) {
            if (!each.matches(NAMED)) {
                throw CommandFailure.error("squeue", "Invalid job_step id: " + each);
            }
        }
        return new StepLines(
                Layout.parse("squeue", words.value("format", FORMAT), Field::of),
                Set.copyOf(named));
    }

    /// The jobs of the steps that are asked for; none is all.
    List<String> jobs() {
        return named.stream().map(it -> it.replaceFirst("\\..*", "")).distinct().sorted().toList();
    }

    /// @param asked names of the jobs whose steps are fetched; none is all
    void print(
            Terminal terminal,
            MeshClient client,
            Words words,
            List<String> asked,
            List<JobView> jobs,
            Moment moment)
            throws CommandFailure {
        List<Line> lines =
                lines(client, jobs, asked).stream()
                        .filter(it ->
                                named.isEmpty()
                                        || named.contains(it.id())
                                        || named.contains(it.job().name()))
                        .toList();
        DataForm form = DataForm.of(words);
        if (form != null) {
            terminal.out()
                    .print(
                            form.text(
                                    SlurmData.of(
                                            "openapi",
                                            "steps",
                                            lines.stream()
                                                    .map(it -> it.data(moment.now()))
                                                    .toList())));
            return;
        }
        if (!words.has("noheader")) {
            terminal.out().print(layout.line(field -> field.header) + "\n");
        }
        for (Line line : lines) {
            terminal.out().print(layout.line(field -> field.value(line, moment)) + "\n");
        }
    }

    private static List<Line> lines(MeshClient client, List<JobView> jobs, List<String> asked)
            throws CommandFailure {
        Map<Long, List<JsonObject>> steps = new HashMap<>();
        for (JsonObject step :
                client.get(new Query("/v1/steps").with("job", asked).toString()).objects("steps")) {
            steps.computeIfAbsent(step.number("job"), _ -> new ArrayList<>()).add(step);
        }
        var lines = new ArrayList<Line>();
        jobs.stream()
                .filter(job -> job.is(JobState.RUNNING) || job.is(JobState.SUSPENDED))
                .sorted(
                        Comparator.comparing((JobView job) -> job.text("partition"))
                                .thenComparing(JobView::id))
                .forEach(job -> {
                    for (JsonObject step : steps.getOrDefault(job.id(), List.of())) {
                        lines.add(line(job, step));
                    }
                    StepData.script(job).ifPresent(it -> lines.add(line(job, it)));
                });
        return lines;
    }

    private static Line line(JobView job, JsonObject step) {
        return new Line(
                job,
                StepData.name(step),
                step.text("name"),
                step.number("tasks"),
                step.number("beganAt"),
                step.texts("nodes"));
    }
}
