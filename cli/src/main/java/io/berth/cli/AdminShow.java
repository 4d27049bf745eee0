package io.berth.cli;

import static io.berth.cli.Table.Title.left;
import static io.berth.cli.Table.Title.right;

import io.berth.cli.CliOption.Words;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import io.berth.contracts.Limit;
import io.berth.contracts.Tres;
import io.berth.slurm.SlurmTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// `sacctmgr show`.
final class AdminShow {

    private static final Table ACCOUNTS =
            new Table(
                    List.of(
                            right("Account", 10),
                            right("Descr", 20),
                            right("Org", 20),
                            right("Parent", 10),
                            right("Coord", 20),
                            right("Guarantee", 13)));
    private static final Table USERS =
            new Table(
                    List.of(
                            right("User", 10),
                            right("Def Acct", 10),
                            right("Admin", 9),
                            right("Accounts", 30)));

    /// Fields that Slurm knows by a longer name than the one above their column.
    private static final Map<String, String> OTHER_NAMES =
            Map.of("adminlevel", "Admin", "defaultaccount", "Def Acct");

    private static final Table CLUSTERS =
            new Table(List.of(right("Cluster", 20), right("Def Acct", 10), right("Def QOS", 10)));
    private static final int FIRST_GRES = 1001;
    private static final Table TRES =
            new Table(List.of(right("Type", 8), right("Name", 15), right("ID", 6)));
    private static final Table TRANSACTIONS =
            new Table(List.of(right("Time", 19), right("Actor", 12), right("Revision", 10)));

    /// Words that are no names: how what is shown is shown. What is deleted is not kept.
    private static final Keywords WORDS =
            Keywords.of(
                    "Tree:4 WithAssociations:5=withassoc WithCoordinators:5 WithDeleted:5 WithRawQOSLevel:5 WithSubAccounts:5 WOLimits:4 WOPInfo:4 WOPLimits:4");

    private static final List<Limit> ASSOCIATION_LIMITS =
            List.of(
                    Limit.GRP_JOBS,
                    Limit.GRP_TRES,
                    Limit.GRP_SUBMIT_JOBS,
                    Limit.GRP_WALL,
                    Limit.GRP_TRES_MINS,
                    Limit.GRP_TRES_RUN_MINS,
                    Limit.MAX_JOBS,
                    Limit.MAX_TRES,
                    Limit.MAX_TRES_PER_NODE,
                    Limit.MAX_SUBMIT_JOBS,
                    Limit.MAX_WALL,
                    Limit.MAX_TRES_MINS);
    private static final List<Limit> QOS_LIMITS =
            List.of(
                    Limit.GRP_TRES,
                    Limit.GRP_TRES_MINS,
                    Limit.GRP_TRES_RUN_MINS,
                    Limit.GRP_JOBS,
                    Limit.GRP_SUBMIT_JOBS,
                    Limit.GRP_WALL,
                    Limit.MAX_TRES,
                    Limit.MAX_TRES_PER_NODE,
                    Limit.MAX_TRES_MINS,
                    Limit.MAX_WALL,
                    Limit.MAX_TRES_PER_USER,
                    Limit.MAX_JOBS,
                    Limit.MAX_SUBMIT_JOBS,
                    Limit.MAX_TRES_PER_ACCOUNT,
                    Limit.MAX_JOBS_PER_ACCOUNT,
                    Limit.MAX_SUBMIT_JOBS_PER_ACCOUNT,
                    Limit.MIN_TRES);

    private final Terminal terminal;
    private final Words words;
    private final Clause clause;
    private final JsonObject document;

    private AdminShow(Terminal terminal, Words words, Clause clause, JsonObject document) {
        this.terminal = terminal;
        this.words = words;
        this.clause = clause;
        this.document = document;
    }

    /// What the books do not have, and what there is instead, if anything.
    private static final Map<String, String> NOT_KEPT =
            Map.of(
                    "federation",
                    "there is one cluster",
                    "problem",
                    "",
                    "reservation",
                    "scontrol show reservation shows them",
                    "resource",
                    "scontrol show licenses shows the cluster's own",
                    "runawayjobs",
                    "",
                    "stats",
                    "sdiag tells how busy the services are",
                    "event",
                    "the books do not keep why nodes were down or drained; sinfo -R tells it of now, and sreport cluster Utilization how much was down",
                    "wckey",
                    "jobs have no WCKeys here; accounts and comments tell them apart");

    static int run(Terminal terminal, Words words, String entity, Clause clause)
            throws CommandFailure {
        String instead = NOT_KEPT.get(entity);
        if (instead != null) {
            throw CommandFailure.error(
                    "sacctmgr",
                    "show "
                            + entity
                            + " is not supported"
                            + (instead.isEmpty() ? "" : ": " + instead));
        }
        if (AdminWords.SHOWN.find(entity) == null) {
            throw new CommandFailure(
                    1,
                    "No valid entity in list command\nInput line must include \"Account\", \"Association\","
                            + " \"Cluster\", \"Configuration\", \"QOS\", \"Transaction\", \"TRES\", or \"User\"\n");
        }
        Admin admin = Admin.of(terminal, "sacctmgr");
        var show = new AdminShow(terminal, words, clause, admin.document());
        switch (entity) {
            case "account" -> show.accounts();
            case "user" -> show.users();
            case "qos" -> show.qos();
            case "cluster" -> show.cluster();
            case "configuration" ->
                    terminal.out().print(JsonText.pretty(admin.document().fields()));
            case "tres" -> show.tres();
            case "transaction" -> show.transactions(admin.revisions());
            default -> show.associations();
        }
        return 0;
    }

    private void print(Table all, String format, List<List<String>> rows) throws CommandFailure {
        List<String> given = clause.named("format");
        String asked = given.isEmpty() ? format : String.join(",", given);
        for (var other : OTHER_NAMES.entrySet()) {
            asked = asked.replaceAll("(?i)\\b" + other.getKey() + "\\b", other.getValue());
        }
        Table shown = all.only("sacctmgr", asked);
        shown.print(terminal.out(), words, all, rows);
    }

    private boolean wanted(String name, String... keys) {
        List<String> names = new ArrayList<>(clause.named(keys));
        names.removeIf(it -> WORDS.find(it) != null);
        return names.isEmpty() || names.contains(name);
    }

    private List<String> accountNames() {
        return document.object("accounts").fields().keySet().stream()
                .filter(it -> wanted(it, "account", Clause.NAME))
                .sorted()
                .toList();
    }

    private boolean said(String word) {
        return clause.named(Clause.NAME).stream().anyMatch(it -> word.equals(WORDS.find(it)));
    }

    /// Whether associations are shown with what they are of.
    private boolean withAssociations() {
        return words.has("associations") || said("withassoc");
    }

    private void accounts() throws CommandFailure {
        if (withAssociations()) {
            List<String> shown = accountNames();
            associations(
                    ACCOUNTS.titles().subList(0, 3),
                    it ->
                            List.of(
                                    it.account(),
                                    of(it.account()).text("description"),
                                    of(it.account()).text("organization")),
                    it -> shown.contains(it.account()),
                    "Account,Descr,Org,Cluster,User,Share,GrpTRES,MaxJobs,MaxTRES,QOS,Def QOS");
            return;
        }
        var rows = new ArrayList<List<String>>();
        for (String name : accountNames()) {
            JsonObject account = of(name);
            rows.add(
                    List.of(
                            name,
                            account.text("description"),
                            account.text("organization"),
                            name.equals("root")
                                    ? ""
                                    : account.has("parent") ? account.text("parent") : "root",
                            list(account, "coordinators"),
                            Tres.text(AdminPatch.amounts(account.fields().get("guarantee")))));
        }
        print(ACCOUNTS, "Account,Descr,Org", rows);
    }

    private JsonObject of(String account) {
        return document.object("accounts").object(account);
    }

    private void users() throws CommandFailure {
        var tree = new AdminTree(document);
        if (withAssociations()) {
            Map<String, AdminTree.Membership> members = tree.members();
            var nobody = new AdminTree.Membership("", List.of());
            associations(
                    USERS.titles().subList(0, 3),
                    it ->
                            List.of(
                                    it.user(),
                                    members.getOrDefault(it.user(), nobody).defaultAccount(),
                                    tree.level(it.user()).slurmName()),
                    it ->
                            !it.user().isEmpty()
                                    && wanted(it.user(), "user", Clause.NAME)
                                    && wanted(it.account(), "account"),
                    "User,Def Acct,Admin,Cluster,Account,Partition,Share,MaxJobs,MaxTRES,QOS,Def QOS");
            return;
        }
        var rows = new ArrayList<List<String>>();
        tree.members()
                .forEach((user, of) -> {
                    if (wanted(user, "user", Clause.NAME)) {
                        rows.add(
                                List.of(
                                        user,
                                        of.defaultAccount(),
                                        tree.level(user).slurmName(),
                                        String.join(",", of.accounts())));
                    }
                });
        print(USERS, "User,Def Acct,Admin", rows);
    }

    private void cluster() throws CommandFailure {
        print(
                CLUSTERS,
                "Cluster,Def Acct,Def QOS",
                List.of(
                        List.of(
                                document.text("name"),
                                document.text("defaultAccount"),
                                document.text("defaultQos"))));
    }

    /// What usage is counted of. Slurm's numbers of the first are its own; those of GPUs are in the
    /// order of their types here.
    private void tres() throws CommandFailure {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("cpu", "", "1"));
        rows.add(List.of("mem", "", "2"));
        rows.add(List.of("node", "", "4"));
        rows.add(List.of("billing", "", "5"));
        var names = new ArrayList<String>(List.of("gpu"));
        MeshClient.of(terminal, "sacctmgr").get("/v1/nodes").objects("nodes").stream()
                .flatMap(node -> node.objects("gpus").stream())
                .map(gpu -> "gpu:" + gpu.text("type"))
                .distinct()
                .sorted()
                .forEach(names::add);
        for (int i = 0; i < names.size(); i++) {
            rows.add(List.of("gres", names.get(i), Integer.toString(FIRST_GRES + i)));
        }
        rows.removeIf(it -> !wanted(it.getFirst(), "type") || !wanted(it.get(1), "name"));
        print(TRES, "Type,Name%15,ID", rows);
    }

    private void transactions(List<JsonObject> revisions) throws CommandFailure {
        var rows = new ArrayList<List<String>>();
        for (JsonObject revision : revisions) {
            rows.add(
                    List.of(
                            Dates.iso(revision.number("changedAt"), terminal.zone().get(), ""),
                            revision.text("author"),
                            Long.toString(revision.number("revision"))));
        }
        print(TRANSACTIONS, "Time,Actor,Revision", rows);
    }

    private void associations() throws CommandFailure {
        associations(
                List.of(),
                _ -> List.of(),
                it -> wanted(it.account(), "account") && wanted(it.user(), "user"),
                "Cluster,Account,User,Partition,Share,GrpTRES,MaxJobs,MaxTRES,QOS,Def QOS");
    }

    /// @param first columns before those of an association; one of the same name is not shown again
    /// @param own the values of these
    private void associations(
            List<Table.Title> first,
            Function<AdminTree.Row, List<String>> own,
            Predicate<AdminTree.Row> shown,
            String format)
            throws CommandFailure {
        boolean tree = said("tree");
        var titles = new ArrayList<Table.Title>(first);
        titles.add(right("Cluster", 10));
        titles.add(tree ? left("Account", 20) : right("Account", 10));
        titles.add(right("User", 10));
        titles.add(right("Partition", 10));
        titles.add(right("Share", 9));
        titles.add(right("Priority", 10));
        ASSOCIATION_LIMITS.forEach(it -> titles.add(title(it)));
        titles.add(right("QOS", 20));
        titles.add(right("Def QOS", 9));
        var rows = new ArrayList<List<String>>();
        for (AdminTree.Row it : new AdminTree(document).rows()) {
            if (shown.test(it)) {
                var row = new ArrayList<String>(own.apply(it));
                row.add(document.text("name"));
                row.add((tree ? " ".repeat(it.depth()) : "") + it.account());
                row.add(it.user());
                row.add(it.partition());
                row.add(it.shares());
                row.add(orEmpty(it.terms(), "priority"));
                ASSOCIATION_LIMITS.forEach(limit -> row.add(value(it.limits(), limit)));
                row.add(list(it.terms(), "qos"));
                row.add(it.terms().text("defaultQos"));
                rows.add(row);
            }
        }
        print(new Table(titles), format, rows);
    }

    private void qos() throws CommandFailure {
        var titles =
                new ArrayList<>(
                        List.of(
                                right("Name", 10),
                                right("Priority", 10),
                                right("GraceTime", 10),
                                right("Preempt", 10),
                                right("PreemptMode", 11),
                                right("PreemptExemptTime", 19),
                                right("Flags", 40),
                                right("UsageFactor", 11)));
        QOS_LIMITS.forEach(it -> titles.add(title(it)));
        var rows = new ArrayList<List<String>>();
        for (String name : document.object("qos").fields().keySet().stream().sorted().toList()) {
            if (wanted(name, Clause.NAME, "qos")) {
                JsonObject qos = document.object("qos").object(name);
                var row = new ArrayList<String>();
                row.add(name);
                row.add(Long.toString(qos.number("priority")));
                row.add(SlurmTime.full(qos.number("graceTime")));
                row.add(list(qos, "preempt"));
                row.add(qos.has("preemptMode") ? qos.text("preemptMode") : "cluster");
                row.add(
                        qos.has("preemptExemptTime")
                                ? String.valueOf(qos.fields().get("preemptExemptTime"))
                                : "");
                row.add(list(qos, "flags"));
                row.add(
                        qos.has("usageFactor")
                                ? "%.6f".formatted(qos.decimal("usageFactor"))
                                : "1.000000");
                QOS_LIMITS.forEach(limit -> row.add(value(qos.object("limits"), limit)));
                rows.add(row);
            }
        }
        print(
                new Table(titles),
                "Name,Priority,Flags,UsageFactor,GrpTRES,MaxTRES%13,MaxWall,MaxTRESPerUser,MaxJobs,MaxSubmitJobs",
                rows);
    }

    private static Table.Title title(Limit limit) {
        return right(
                limit.slurmName(),
                switch (limit.unit()) {
                    case COUNT -> Math.max(7, limit.slurmName().length());
                    case MINUTES -> 11;
                    case TRES -> Math.max(13, limit.slurmName().length());
                });
    }

    /// As it is written; "" where there is no such limit.
    static String value(JsonObject limits, Limit limit) {
        for (var entry : limits.fields().entrySet()) {
            if (Limit.find(entry.getKey()).equals(Optional.of(limit))) {
                return limit.unit() == Limit.Unit.TRES
                        ? Tres.text(AdminPatch.amounts(entry.getValue()))
                        : String.valueOf(entry.getValue());
            }
        }
        return "";
    }

    private static String orEmpty(JsonObject object, String name) {
        return object.has(name) ? Objects.toString(object.fields().get(name)) : "";
    }

    /// Names in a list, or as they stand in a text.
    private static String list(JsonObject object, String name) {
        return object.text(name).isEmpty()
                ? String.join(",", object.texts(name))
                : object.text(name);
    }
}
