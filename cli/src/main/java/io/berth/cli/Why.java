package io.berth.cli;

import static io.berth.cli.CliOption.flag;

import io.berth.cli.CliOption.Words;
import io.berth.cli.MeshClient.Answer;
import java.util.List;

/// `berth why`: why a job is in its state.
final class Why implements Command {

    private static final List<String> FACTORS =
            List.of("age", "association", "fairShare", "jobSize", "partition", "qos", "tres");

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("help", 'h', "this text"),
                    flag("json", '\0', "JSON"),
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "why JOB: why a job waits, and who is ahead";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        String id = jobOperand("why", words);
        MeshClient client = MeshClient.of(terminal, "why");
        Answer answer = client.ask("GET", JobIds.path(id) + "/why");
        if (!answer.ok()) {
            throw CommandFailure.error("why", answer.detail());
        }
        terminal.out()
                .print(
                        words.has("json")
                                ? JsonText.pretty(answer.body().fields())
                                : text(answer.body()));
        return 0;
    }

    /// The one operand, which must be a job's id.
    static String jobOperand(String command, Words words) throws CommandFailure {
        List<String> operands = words.operands();
        if (operands.size() != 1 || !JobIds.names(operands.getFirst())) {
            throw CommandFailure.error(
                    command,
                    operands.isEmpty()
                            ? "which job? Give its number"
                            : "Invalid job id " + String.join(" ", operands));
        }
        return operands.getFirst();
    }

    private static String text(JsonObject why) {
        var text = new StringBuilder();
        text.append("Job ").append(why.number("job")).append(" is ").append(why.text("state"));
        if (!why.text("reason").isEmpty() && !why.text("reason").equals("None")) {
            text.append(" (").append(why.text("reason")).append(')');
        }
        text.append('\n');
        if (!why.text("explanation").isEmpty()) {
            text.append(why.text("explanation")).append('\n');
        }
        if (why.has("position")) {
            text.append("Position ").append(why.number("position")).append(" in the queue");
            text.append(", ").append(why.number("ahead")).append(" ahead.\n");
        }
        if (why.has("priority")) {
            text.append(priority(why.object("priority"))).append('\n');
        }
        return text.toString();
    }

    /// `Priority 4253 = age 12 + fairShare 4000 + jobSize 241 - nice 0`
    private static String priority(JsonObject priority) {
        var text = new StringBuilder("Priority ").append(Math.round(priority.decimal("total")));
        String separator = " = ";
        for (String factor : FACTORS) {
            if (priority.has(factor)) {
                text.append(separator).append(factor).append(' ');
                text.append(Math.round(priority.decimal(factor)));
                separator = " + ";
            }
        }
        if (priority.decimal("nice") != 0) {
            text.append(" - nice ").append(Math.round(priority.decimal("nice")));
        }
        return text.toString();
    }
}
