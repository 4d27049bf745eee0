package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import java.io.IOException;
import java.util.List;

/// `berth apply`: makes the cluster's configuration what a file says.
final class Apply implements Command {

    private static final List<CliOption> OPTIONS =
            List.of(
                    valued("file", 'f', "the cluster file; - reads standard input"),
                    flag("dry-run", '\0', "only say what would change"),
                    flag("help", 'h', "this text"),
                    flag("immediate", 'i', "without asking"),
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "apply -f cluster.yaml [--dry-run] [-i]: makes the configuration what a file says";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        String name = words.value("file");
        if (name == null || !words.operands().isEmpty()) {
            throw CommandFailure.error("apply", "which file? Give it with -f");
        }
        Admin.Request asked = Admin.file(read(terminal, name));
        Admin admin = Admin.of(terminal, "apply");
        List<String> changes = admin.trial(asked);
        if (changes.isEmpty()) {
            terminal.out().print("Nothing would change.\n");
            return 0;
        }
        changes.forEach(it -> terminal.out().print(it + "\n"));
        if (!words.has("dry-run") && admin.confirmed(words.has("immediate") || name.equals("-"))) {
            terminal.out().print("Revision " + admin.commit(asked) + " is in force.\n");
        }
        return 0;
    }

    private static byte[] read(Terminal terminal, String name) throws CommandFailure {
        if (!name.equals("-")) {
            return terminal.read("apply", name);
        }
        try {
            return terminal.in().readAllBytes();
        } catch (IOException e) {
            throw CommandFailure.error("apply", "cannot read the input: " + e.getMessage());
        }
    }
}
