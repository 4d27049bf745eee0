package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.client.JsonObject;
import io.berth.slurm.JobText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/// `sprio`: the priorities of waiting jobs, taken apart.
///
/// Source: sprio(1); the layouts are those of Slurm 22.05.
final class Sprio implements Command {

    private static final String LONG =
            "%.15i %9r %.8u %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10Q %.11N %.20T";
    private static final String NORMAL = "%.15i %9r %.8u %10y %10a %10b %10f %10j %10p %10q %20t";

    private static final List<CliOption> OPTIONS =
            List.of(
                    valued("format", 'o', "columns, such as %.15i %.10Y").from("SPRIO_FORMAT"),
                    flag("help", '\0', "this text"),
                    valued("jobs", 'j', "only these jobs"),
                    DataForm.OPTIONS.getFirst(),
                    DataForm.OPTIONS.getLast(),
                    flag("long", 'l', "all parts"),
                    flag("noheader", 'h', "without the line of titles"),
                    flag("norm", 'n', "factors from 0 to 1 in place of points"),
                    valued("partition", 'p', "only jobs in these partitions"),
                    valued("user", 'u', "only jobs of these users"),
                    valued("sort", 'S', "order, such as \"-Y,i\""),
                    flag("version", 'V', "Berth's version"),
                    flag("weights", 'w', "the points that a factor of 1 gives"),
                    CliOption.CLUSTERS,
                    CliOption.FEDERATION,
                    CliOption.LOCAL,
                    CliOption.SIBLING,
                    CliOption.USAGE,
                    CliOption.VERBOSE);

    @Override
    public String synopsis() {
        return "sprio [-l] [-n] [-w] [-j JOB] [-u USER]: priorities of waiting jobs";
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
        JsonObject answer = MeshClient.of(terminal, "sprio").get("/v1/priorities");
        JsonObject weights = answer.object("weights");
        Layout<PriorityField> layout =
                Layout.parse("sprio", format(words, weights), PriorityField::of);
        List<JsonObject> jobs = sorted(jobs(words, answer), words, weights);
        DataForm form = DataForm.of(words);
        if (form != null) {
            terminal.out().print(form.text(Map.of("weights", weights, "jobs", jobs)));
            return 0;
        }
        if (!words.has("weights") && jobs.isEmpty() && isFiltered(words)) {
            terminal.out().print("Unable to find jobs matching user/id(s) specified\n");
            return 0;
        }
        if (!words.has("noheader")) {
            terminal.out().print(layout.line(PriorityField::title) + "\n");
        }
        if (words.has("weights")) {
            terminal.out().print(layout.line(it -> it.weight(weights)) + "\n");
            return 0;
        }
        for (JsonObject job : jobs) {
            terminal.out().print(layout.line(it -> it.value(job, weights)) + "\n");
        }
        return 0;
    }

    /// The jobs by the fields whose letters the option names, `-` before one for falling.
    private static List<JsonObject> sorted(List<JsonObject> jobs, Words words, JsonObject weights)
            throws CommandFailure {
        Comparator<JsonObject> order = (_, _) -> 0;
        for (String key : CliOption.split(words.value("sort", ""))) {
            boolean falling = key.startsWith("-");
            String letter = falling || key.startsWith("+") ? key.substring(1) : key;
            PriorityField field = letter.length() == 1 ? PriorityField.of(letter.charAt(0)) : null;
            if (field == null) {
                throw CommandFailure.error(
                        "sprio", "Invalid sort specification: " + words.value("sort"));
            }
            Comparator<JsonObject> next = field.order(weights);
            order = order.thenComparing(falling ? next.reversed() : next);
        }
        return jobs.stream().sorted(order).toList();
    }

    private static boolean isFiltered(Words words) {
        return words.has("jobs") || words.has("user") || words.has("partition");
    }

    /// Without a format, the parts that have a weight.
    private static String format(Words words, JsonObject weights) {
        String given = words.value("format");
        if (given != null) {
            return given;
        }
        if (words.has("norm")) {
            return NORMAL;
        }
        if (words.has("long")) {
            return LONG;
        }
        var format = new StringBuilder("%.15i %9r %.10Y %.10S");
        for (PriorityField part : PriorityField.PARTS) {
            if (part.hasWeight(weights)) {
                format.append(" %.").append(part == PriorityField.TRES ? 20 : 10);
                format.append(part.letter());
            }
        }
        return format.toString();
    }

    private static List<JsonObject> jobs(Words words, JsonObject answer) throws CommandFailure {
        var names = new ArrayList<JobText>();
        for (String text : JobText.split(words.all("jobs"))) {
            JobText name = JobText.parse(text);
            if (name == null || name.id() == 0) {
                throw CommandFailure.error("sprio", "Invalid job id: " + text);
            }
            names.add(name);
        }
        List<String> users = words.list("user");
        List<String> partitions = words.list("partition");
        return answer.objects("jobs").stream()
                .filter(it -> names.isEmpty() || names.stream().anyMatch(name -> isOf(name, it)))
                .filter(it -> users.isEmpty() || users.contains(it.text("user")))
                .filter(it -> partitions.isEmpty() || partitions.contains(it.text("partition")))
                .toList();
    }

    private static boolean isOf(JobText name, JsonObject job) {
        return name.names(
                job.number("job"),
                job.number("arrayJob"),
                (int) job.number("arrayTask"),
                job.number("hetJob"));
    }
}
