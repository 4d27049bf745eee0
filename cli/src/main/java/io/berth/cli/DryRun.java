package io.berth.cli;

import io.berth.cli.CliOption.Words;
import io.berth.cli.SubmissionPost.Voice;
import io.berth.client.Answer;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import io.berth.client.SubmissionJson;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.JobSubmission;
import io.berth.slurm.Sbatch;
import io.berth.slurm.SlurmTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Asks the gateway when a job would start. Nothing is submitted or changed.
final class DryRun {

    private static final Pattern MORE = Pattern.compile("(\\d{1,4}):(\\S+)");

    private static final String BEFORE_DEADLINE =
            " before its deadline, or before it has waited as long as it may";

    private final Terminal terminal;
    private final MeshClient client;
    private final Voice voice;

    DryRun(Terminal terminal, MeshClient client) {
        this(terminal, client, SubmissionPost.SBATCH);
    }

    /// @param voice of the command that asks
    DryRun(Terminal terminal, MeshClient client, Voice voice) {
        this.terminal = terminal;
        this.voice = voice;
        this.client = client;
    }

    /// `sbatch --test-only`, or `srun`'s: one line, as Slurm prints it. The components of a
    /// heterogeneous job are asked for one by one, as Slurm does: they start together at the latest
    /// of these times, or later.
    int testOnly(JobSubmission job) throws CommandFailure {
        JsonObject first = started(SubmissionJson.fields(job), job);
        long at = first.object("start").number("at");
        long cpus = first.object("start").number("cpus");
        String nodes = first.object("start").text("nodes");
        for (JobSubmission component : job.furtherComponents()) {
            Map<String, @Nullable Object> fields = SubmissionJson.fields(component);
            fields.put("script", job.script());
            fields.put("user", job.user());
            JsonObject start = started(fields, job).object("start");
            at = Math.max(at, start.number("at"));
            cpus += start.number("cpus");
            nodes += "," + start.text("nodes");
        }
        terminal.err()
                .print(
                        "%s: Job %d to start at %s using %d processors on nodes %s in partition %s\n"
                                .formatted(
                                        voice.command(),
                                        first.object("start").number("job"),
                                        Dates.iso(at, terminal.zone().get(), ""),
                                        cpus,
                                        nodes,
                                        first.text("partition")));
        return 0;
    }

    /// What is foreseen of a job, which starts.
    private JsonObject started(Map<String, @Nullable Object> submission, JobSubmission job)
            throws CommandFailure {
        submission.remove("components");
        JsonObject simulated = simulated(Map.of("submit", submission), job);
        JsonObject start = simulated.object("start");
        if (start.text("reason").equals("BadConstraints")) {
            throw unavailable();
        }
        if (!start.has("at")) {
            throw CommandFailure.error(
                    voice.command(),
                    "allocation failure: no start is foreseen"
                            + (late(start) ? BEFORE_DEADLINE : ": " + start.text("reason")));
        }
        return simulated;
    }

    private static CommandFailure unavailable() {
        return new CommandFailure(
                1, "allocation failure: Requested node configuration is not available\n");
    }

    /// Whether the words of `berth why` ask what would be.
    static boolean asked(Words words) {
        return words.has("dry-run")
                || words.has("add-nodes")
                || words.has("drain")
                || words.has("time");
    }

    int why(Words words) throws CommandFailure {
        Map<String, @Nullable Object> question = new LinkedHashMap<>();
        JobSubmission job = null;
        if (words.has("dry-run")) {
            job = script(words);
            question.put("submit", SubmissionJson.fields(job));
        } else {
            question.put("job", Why.jobOperand("why", words));
            question.put("change", limit(words.value("time")));
        }
        question.put("drain", words.value("drain"));
        question.put("add", more(words.value("add-nodes")));
        JsonObject simulated = simulated(question, job);
        DataForm form = DataForm.of(words);
        terminal.out().print(form != null ? form.text(simulated.fields()) : text(simulated));
        return 0;
    }

    private JobSubmission script(Words words) throws CommandFailure {
        if (words.operands().isEmpty()) {
            throw CommandFailure.error("why", "which script? Give its name");
        }
        var line = new ArrayList<String>();
        if (words.value("time") != null) {
            line.add("--time=" + words.value("time"));
        }
        line.addAll(words.operands());
        try {
            return new SbatchCommand(terminal)
                    .request(Sbatch.commandLine(line), client)
                    .submission();
        } catch (InvalidOption e) {
            throw new CommandFailure(e.exitCode(), e.print("why"));
        }
    }

    private static @Nullable Object limit(@Nullable String text) throws CommandFailure {
        if (text == null) {
            return null;
        }
        long seconds =
                SlurmTime.parseLimit(text)
                        .orElseThrow(
                                () -> CommandFailure.error("why", "Invalid --time specification"));
        return Map.of("timeLimitSeconds", seconds);
    }

    private static @Nullable Object more(@Nullable String text) throws CommandFailure {
        if (text == null) {
            return null;
        }
        Matcher more = MORE.matcher(text);
        if (!more.matches()) {
            throw CommandFailure.error(
                    "why", "--add-nodes takes COUNT:NODE such as 4:node01, not '" + text + "'");
        }
        return List.of(Map.of("like", more.group(2), "count", Integer.parseInt(more.group(1))));
    }

    /// @param job that would be submitted, if one would be
    private JsonObject simulated(Map<String, ?> question, @Nullable JobSubmission job)
            throws CommandFailure {
        Answer answer = client.ask("POST", "/v1/simulate", JsonText.compact(question));
        if (answer.ok()) {
            return answer.body();
        }
        if (answer.code().equals("node_configuration_unavailable")) {
            throw unavailable();
        }
        throw job == null
                ? CommandFailure.error("why", answer.detail())
                : SubmissionPost.refused(answer, job, voice);
    }

    private String text(JsonObject simulated) {
        var text = new StringBuilder(start("Would start", simulated.object("start")));
        if (simulated.has("otherwise")) {
            text.append(start("As things are", simulated.object("otherwise")));
        }
        return text.append("Simulated: every run lasts as long as its limit, nothing comes in.\n")
                .toString();
    }

    private String start(String what, JsonObject start) {
        return start.has("at")
                ? "%s: %s on %s, %d CPUs%s\n"
                        .formatted(
                                what,
                                Dates.iso(start.number("at"), terminal.zone().get(), ""),
                                start.text("nodes"),
                                start.number("cpus"),
                                start.text("reason").equals("None")
                                        ? ""
                                        : " (" + start.text("reason") + ")")
                : "%s: no start is foreseen%s\n"
                        .formatted(
                                what,
                                late(start) ? BEFORE_DEADLINE : " (" + start.text("reason") + ")");
    }

    /// Whether the job ends before it could start.
    private static boolean late(JsonObject start) {
        return start.text("reason").equals("DeadLine");
    }
}
