package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;
import static io.berth.cli.Table.Title.left;
import static io.berth.cli.Table.Title.right;

import io.berth.cli.CliOption.Words;
import io.berth.client.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// `sshare`: how accounts and users stand in the tree.
///
/// Source: sshare(1); the layout is that of Slurm 22.05.
final class Sshare implements Command {

    static final String PATH = "/v1/accounting/shares";

    private static final Table ALL =
            new Table(
                    List.of(
                            left("Account", 20),
                            right("User", 10),
                            right("Partition", 12),
                            right("RawShares", 10),
                            right("NormShares", 11),
                            right("RawUsage", 11),
                            right("NormUsage", 11),
                            right("EffectvUsage", 13),
                            right("FairShare", 10),
                            right("LevelFS", 10),
                            right("Cluster", 10)));

    private static final String FORMAT =
            "Account,User,RawShares,NormShares,RawUsage,EffectvUsage,FairShare";
    private static final String LONG =
            "Account,User,RawShares,NormShares,RawUsage,NormUsage,EffectvUsage,FairShare,LevelFS";

    private static final List<CliOption> OPTIONS =
            Table.options(
                    valued("accounts", 'A', "only these accounts"),
                    flag("all", 'a', "all users"),
                    valued("format", 'o', "columns, such as Account,User,FairShare%12"),
                    flag("helpformat", 'e', "names of the columns"),
                    DataForm.OPTIONS.getFirst(),
                    DataForm.OPTIONS.getLast(),
                    flag("long", 'l', "with normalised usage and LevelFS"),
                    flag("partition", 'm', "with a column of partitions, which have no shares"),
                    valued("users", 'u', "only these users"),
                    flag("Users", 'U', "users alone, without accounts"),
                    CliOption.CLUSTERS,
                    CliOption.USAGE,
                    CliOption.VERBOSE);

    @Override
    public String synopsis() {
        return "sshare [-a] [-l] [-u USER] [-A ACCOUNT]: shares, usage and fair share";
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
        if (words.has("helpformat")) {
            ALL.titles().forEach(it -> terminal.out().print(it.name() + "\n"));
            return 0;
        }
        String format = words.value("format", words.has("long") ? LONG : FORMAT);
        Table table =
                ALL.only(
                        "sshare",
                        words.has("partition") && !words.has("format")
                                ? format.replace("User,", "User,Partition,")
                                : format);
        MeshClient client = MeshClient.of(terminal, "sshare");
        List<String> users = words.list("users");
        if (users.isEmpty() && !words.has("all")) {
            users = List.of(client.token().actsFor(terminal));
        }
        JsonObject answer = client.accounting(PATH);
        List<String> shown = users;
        List<JsonObject> shares =
                answer.objects("shares").stream().filter(it -> isShown(it, words, shown)).toList();
        DataForm form = DataForm.of(words);
        if (form != null) {
            terminal.out().print(form.text(Map.of("shares", shares)));
            return 0;
        }
        var rows = new ArrayList<List<String>>();
        String cluster =
                table.titles().stream().anyMatch(it -> it.name().equals("Cluster"))
                        ? Admin.of(terminal, "sshare").document().text("name")
                        : "";
        for (JsonObject share : shares) {
            rows.add(row(share, cluster));
        }
        table.print(terminal.out(), words, ALL, rows);
        return 0;
    }

    private static boolean isShown(JsonObject share, Words words, List<String> users) {
        List<String> accounts = words.list("accounts");
        if (!accounts.isEmpty() && !accounts.contains(share.text("account"))) {
            return false;
        }
        return share.has("user")
                ? words.has("all") || users.contains(share.text("user"))
                : !words.has("Users");
    }

    private static List<String> row(JsonObject share, String cluster) {
        boolean root = share.number("depth") == 0;
        return List.of(
                " ".repeat((int) share.number("depth")) + share.text("account"),
                share.text("user"),
                "",
                share.text("rawShares"),
                six(share, "normShares"),
                Long.toString(share.number("rawUsage")),
                root ? "" : six(share, "normUsage"),
                six(share, "effectiveUsage"),
                share.has("fairShare") ? six(share, "fairShare") : "",
                share.text("levelFs"),
                cluster);
    }

    static String six(JsonObject share, String name) {
        return String.format(Locale.ROOT, "%.6f", share.decimal(name));
    }
}
