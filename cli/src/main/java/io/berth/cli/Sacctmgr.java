package io.berth.cli;

import static io.berth.cli.CliOption.flag;

import io.berth.cli.CliOption.Words;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// `sacctmgr`: accounts, users and QOS, shown and changed.
///
/// Source: sacctmgr(1).
final class Sacctmgr implements Command {

    private static final List<CliOption> OPTIONS =
            Table.options(
                    flag("associations", 's', "show users and accounts with their associations"),
                    flag("immediate", 'i', "without asking"),
                    flag("json", '\0', "JSON, of show configuration"),
                    flag("quiet", 'Q', "nothing: what is done is what is asked"),
                    flag("readonly", 'r', "refuse what would change something"),
                    CliOption.VERBOSE);

    private static final Set<String> CHANGES = Set.of("add", "modify", "delete");

    private static final Set<String> REFUSED =
            Set.of("archive", "clear", "dump", "load", "reconfigure", "shutdown");

    @Override
    public String synopsis() {
        return "sacctmgr [-i] add|modify|delete|show account|user|qos|coordinator …: accounts, users and QOS";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        List<String> operands = words.operands();
        if (operands.isEmpty()) {
            throw new CommandFailure(1, " One of add, modify, delete and show is required\n");
        }
        String verb = AdminWords.VERBS.full(operands.getFirst());
        boolean changes = CHANGES.contains(verb);
        if (words.has("readonly") && changes) {
            throw new CommandFailure(1, "Can't run this command in readonly mode.\n");
        }
        if (REFUSED.contains(verb)) {
            throw CommandFailure.error("sacctmgr", verb + " is not supported");
        }
        Keywords entities = changes ? AdminWords.ENTITIES : AdminWords.SHOWN;
        String entity =
                entities.full(operands.size() < 2 ? "" : operands.get(1).toLowerCase(Locale.ROOT));
        Clause clause =
                Clause.of(operands.subList(Math.min(2, operands.size()), operands.size()))
                        .keyed(it ->
                                changes ? AdminWords.key(entity, it) : AdminWords.condition(it));
        return switch (verb) {
            case "help" -> {
                terminal.out().print(Help.of(this));
                yield 0;
            }
            case "version" -> {
                terminal.out().print(Main.version() + "\n");
                yield 0;
            }
            case "show" -> AdminShow.run(terminal, words, entity, clause);
            case "add" -> change(terminal, words, AdminChange.Verb.ADD, entity, clause);
            case "modify" -> change(terminal, words, AdminChange.Verb.MODIFY, entity, clause);
            case "delete" -> change(terminal, words, AdminChange.Verb.DELETE, entity, clause);
            default ->
                    throw new CommandFailure(
                            1,
                            " '"
                                    + verb.toLowerCase(Locale.ROOT)
                                    + "' is none of add, modify, delete and show\n");
        };
    }

    private static int change(
            Terminal terminal, Words words, AdminChange.Verb verb, String entity, Clause clause)
            throws CommandFailure {
        boolean coordinators = entity.equals("coordinator") && verb != AdminChange.Verb.MODIFY;
        if (!coordinators && !List.of("account", "user", "qos").contains(entity)) {
            throw new CommandFailure(
                    1, " '" + entity + "' is none of account, user, qos and coordinator\n");
        }
        Admin admin = Admin.of(terminal, "sacctmgr");
        if (clause.settings().stream().anyMatch(it -> it.key().equals("rawusage"))) {
            return reset(terminal, words, admin, entity, clause);
        }
        var change = new AdminChange(admin.document(), verb, clause);
        AdminChange.Outcome outcome =
                switch (entity) {
                    case "account" -> change.accounts();
                    case "user" -> change.users();
                    case "coordinator" -> change.coordinators();
                    default -> change.qos();
                };
        if (outcome.patch().isEmpty()) {
            terminal.out().print(" " + verb.nothing() + "\n");
            return 1;
        }
        Admin.Request asked = Admin.patch(outcome.patch());
        List<String> changes = admin.trial(asked);
        if (changes.isEmpty()) {
            terminal.out().print(" " + verb.nothing() + "\n");
            return 1;
        }
        terminal.out().print(" " + verb.doing() + " " + entity + "(s)\n");
        outcome.names().forEach(it -> terminal.out().print("  " + it + "\n"));
        terminal.out().print(" Settings\n");
        changes.forEach(it -> terminal.out().print("  " + it + "\n"));
        if (admin.confirmed(words.has("immediate"))) {
            admin.commit(asked);
        }
        return 0;
    }

    /// `modify account|user … set RawUsage=0`.
    private static int reset(
            Terminal terminal, Words words, Admin admin, String entity, Clause clause)
            throws CommandFailure {
        List<UsageReset> resets = UsageReset.of(admin.document(), entity, clause);
        if (resets.isEmpty()) {
            terminal.out().print(" " + AdminChange.Verb.MODIFY.nothing() + "\n");
            return 1;
        }
        terminal.out().print(" Modifying " + entity + "(s)\n");
        resets.forEach(it -> terminal.out().print("  " + it + "\n"));
        terminal.out().print(" Settings\n  RawUsage = 0\n");
        if (admin.confirmed(words.has("immediate"))) {
            for (UsageReset reset : resets) {
                admin.post(UsageReset.PATH, reset.body());
            }
        }
        return 0;
    }
}
