package io.berth.cli;

import static io.berth.cli.Table.Title.left;
import static io.berth.cli.Table.Title.right;

import io.berth.cli.CliOption.Words;
import io.berth.client.JsonObject;
import io.berth.contracts.Tres;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// `berth queues`: what accounts are guaranteed, use, have borrowed and have lent. Slurm has no
/// such command.
final class Queues implements Command {

    private static final Table TABLE =
            new Table(
                    List.of(
                            left("Account", 20),
                            right("Guarantee", 16),
                            right("Used", 16),
                            right("Borrowed", 16),
                            right("Lent", 16),
                            right("Running", 8),
                            right("Pending", 8)));

    @Override
    public String synopsis() {
        return "queues [-n] [-p]: what accounts are guaranteed, borrow and lend";
    }

    @Override
    public List<CliOption> options() {
        return Table.options(DataForm.OPTIONS.getFirst(), DataForm.OPTIONS.getLast());
    }

    @Override
    public boolean takesOperands() {
        return false;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        JsonObject answer = MeshClient.of(terminal, "queues").get("/v1/queues");
        List<JsonObject> queues = answer.objects("queues");
        DataForm form = DataForm.of(words);
        if (form != null) {
            terminal.out().print(form.text(answer.fields()));
            return 0;
        }
        TABLE.print(terminal.out(), words, TABLE, rows(queues));
        if (!words.has("noheader")) {
            terminal.out().print(beyond(answer));
        }
        return 0;
    }

    /// Each account before those below it, as they are configured. Shown of what is used are GPUs
    /// and what is guaranteed to anybody.
    private static List<List<String>> rows(List<JsonObject> queues) {
        var shown = new TreeSet<String>(Set.of(Tres.GPU));
        queues.forEach(it -> shown.addAll(amounts(it, "guarantee").keySet()));
        var rows = new ArrayList<List<String>>();
        add(rows, queues, "", shown, 0);
        return rows;
    }

    private static void add(
            List<List<String>> rows,
            List<JsonObject> queues,
            String parent,
            Set<String> shown,
            int depth) {
        Set<String> listed =
                queues.stream().map(it -> it.text("account")).collect(Collectors.toSet());
        for (JsonObject queue : queues) {
            String above = queue.text("parent");
            if (parent.equals(listed.contains(above) ? above : "")) {
                rows.add(
                        List.of(
                                " ".repeat(depth) + queue.text("account"),
                                text(queue, "guarantee", shown),
                                text(queue, "used", shown),
                                text(queue, "borrowed", shown),
                                text(queue, "lent", shown),
                                Long.toString(queue.number("running")),
                                Long.toString(queue.number("pending"))));
                add(rows, queues, queue.text("account"), shown, depth + 1);
            }
        }
    }

    private static String text(JsonObject queue, String field, Set<String> shown) {
        Map<String, Long> amounts = amounts(queue, field);
        amounts.keySet().retainAll(shown);
        return Tres.text(amounts);
    }

    private static Map<String, Long> amounts(JsonObject of, String field) {
        var amounts = new TreeMap<String, Long>();
        JsonObject object = of.object(field);
        object.fields().keySet().forEach(name -> amounts.put(name, object.number(name)));
        return amounts;
    }

    /// What is guaranteed beyond what there is; nothing if all is there.
    private static String beyond(JsonObject answer) {
        Map<String, Long> capacity = amounts(answer, "capacity");
        var beyond = new StringBuilder();
        amounts(answer, "guaranteed")
                .forEach((name, amount) -> {
                    long there = capacity.getOrDefault(name, amount);
                    if (amount > there) {
                        beyond.append(
                                "Guaranteed are %s, of which there are %s on nodes that are up.\n"
                                        .formatted(
                                                Tres.text(Map.of(name, amount)),
                                                Tres.text(Map.of(name, there))));
                    }
                });
        return beyond.toString();
    }
}
