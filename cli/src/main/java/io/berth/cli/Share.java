package io.berth.cli;

import static io.berth.cli.Table.Title.left;
import static io.berth.cli.Table.Title.right;

import io.berth.cli.CliOption.Words;
import io.berth.client.JsonObject;
import java.util.ArrayList;
import java.util.List;

/// `berth share explain USER`: how a user's fair share came about, from the root of the tree down;
/// `berth share budget`: what is spent of limits of sums over time.
final class Share implements Command {

    private static final List<CliOption> OPTIONS = Table.options();
    private static final Table BUDGETS =
            new Table(
                    List.of(
                            left("Holder", 24),
                            left("Limit", 12),
                            left("Resource", 10),
                            right("Minutes", 12),
                            right("Spent", 12),
                            right("Left", 12)));

    @Override
    public String synopsis() {
        return "share explain [USER] | budget: how a fair share came about; what is spent of budgets";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        List<String> operands = words.operands();
        if (operands.equals(List.of("budget"))) {
            return budget(terminal, words);
        }
        if (operands.isEmpty() || operands.size() > 2 || !operands.getFirst().equals("explain")) {
            throw CommandFailure.error("share", "it knows two words: explain [USER] and budget");
        }
        MeshClient client = MeshClient.of(terminal, "share");
        String user = operands.size() == 2 ? operands.get(1) : client.token().actsFor(terminal);
        JsonObject answer = client.accounting(Sshare.PATH);
        List<JsonObject> rows = answer.objects("shares");
        List<JsonObject> own =
                rows.stream().filter(it -> it.has("user") && it.text("user").equals(user)).toList();
        if (own.isEmpty()) {
            throw CommandFailure.error("share", "user " + user + " is in no account");
        }
        var text = new StringBuilder();
        for (JsonObject association : own) {
            explain(text, rows, association, answer);
        }
        terminal.out().print(text);
        return 0;
    }

    private static int budget(Terminal terminal, Words words) throws CommandFailure {
        var rows = new ArrayList<List<String>>();
        for (JsonObject it :
                MeshClient.of(terminal, "share")
                        .accounting("/v1/accounting/budgets")
                        .objects("budgets")) {
            long minutes = it.number("minutes");
            long spent = it.number("spentMinutes");
            rows.add(
                    List.of(
                            it.text("holder"),
                            it.text("limit"),
                            it.text("resource"),
                            Long.toString(minutes),
                            Long.toString(spent),
                            Long.toString(Math.max(0, minutes - spent))));
        }
        BUDGETS.print(terminal.out(), words, BUDGETS, rows);
        return 0;
    }

    private static void explain(
            StringBuilder text, List<JsonObject> rows, JsonObject own, JsonObject answer) {
        text.append(own.text("user")).append(" in account ").append(own.text("account"));
        text.append(": fair share ").append(Sshare.six(own, "fairShare")).append('\n');
        boolean tree = !answer.text("rule").equals("CLASSIC");
        for (JsonObject step : way(rows, own)) {
            text.append(line(step, tree));
        }
        text.append(tree ? place(rows, own) : classic());
        long halfLife = answer.number("halfLifeSeconds");
        text.append(
                halfLife == 0
                        ? "Usage is never forgotten.\n"
                        : "Usage counts half after " + days(halfLife) + ".\n");
    }

    /// The accounts from right under the root down to the user, who is the last.
    private static List<JsonObject> way(List<JsonObject> rows, JsonObject own) {
        var way = new ArrayList<JsonObject>();
        way.add(own);
        long depth = own.number("depth");
        for (int i = rows.indexOf(own); i >= 0 && depth > 1; i--) {
            JsonObject row = rows.get(i);
            if (!row.has("user") && row.number("depth") == depth - 1) {
                way.addFirst(row);
                depth--;
            }
        }
        return way;
    }

    private static String line(JsonObject step, boolean tree) {
        var line = new StringBuilder("  ".repeat((int) step.number("depth")));
        line.append(step.has("user") ? step.text("user") : step.text("account")).append(": ");
        if (step.text("rawShares").equals("parent")) {
            return line.append("shares of its parent, which nothing exceeds\n").toString();
        }
        line.append(step.text("rawShares")).append(" shares are ");
        line.append(percent(step, "normShares"));
        line.append(tree ? " of its level's" : " of the whole tree's").append("; used ");
        line.append(step.number("rawUsage")).append(", ");
        line.append(percent(step, "effectiveUsage"));
        line.append(tree ? " of its level's usage" : " of all usage, its siblings' counted in");
        if (tree && step.has("levelFs")) {
            line.append(": LevelFS ").append(step.text("levelFs")).append(verdict(step));
        }
        return line.append('\n').toString();
    }

    private static String verdict(JsonObject step) {
        if (step.text("levelFs").equals("inf")) {
            return ", nothing used";
        }
        double level = Double.parseDouble(step.text("levelFs"));
        return level > 1
                ? ", under its share"
                : level < 1 ? ", over its share" : ", exactly its share";
    }

    private static String place(List<JsonObject> rows, JsonObject own) {
        List<JsonObject> users = rows.stream().filter(it -> it.has("user")).toList();
        double factor = own.decimal("fairShare");
        long before = users.stream().filter(it -> it.decimal("fairShare") > factor).count();
        long same = users.stream().filter(it -> it.decimal("fairShare") == factor).count() - 1;
        return "At each level the higher LevelFS goes first, with all that is below it.\n"
                + (before == 0
                        ? "Nobody goes"
                        : before + (before == 1 ? " user goes" : " users go"))
                + " before"
                + (same == 0 ? "" : ", " + same + (same == 1 ? " stands" : " stand") + " beside")
                + ": the rank is "
                + Math.round(factor * users.size())
                + " of "
                + users.size()
                + ".\n";
    }

    private static String classic() {
        return "The factor is 2^(-effective usage / norm shares / dampening).\n";
    }

    private static String percent(JsonObject step, String name) {
        return Math.round(step.decimal(name) * 1000) / 10.0 + " %";
    }

    private static String days(long seconds) {
        return seconds % 86_400 == 0 ? seconds / 86_400 + " days" : seconds / 3600.0 + " hours";
    }
}
