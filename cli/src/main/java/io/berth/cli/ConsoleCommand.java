package io.berth.cli;

import static io.berth.cli.CliOption.flag;

import io.berth.cli.CliOption.Words;
import java.util.List;

/// `berth console`: the address of the console, with a token that signs in whoever opens it.
final class ConsoleCommand implements Command {

    private static final long LIFETIME_SECONDS = 12 * 3600;

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("help", 'h', "this text"),
                    flag("operator", '\0', "may act for all users"),
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "console [USER] [--operator]: the console's address, for yourself or a user; good for 12 hours";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        if (words.operands().size() > 1) {
            throw CommandFailure.error("console", "for which user? Give one name at most");
        }
        String user = words.operands().isEmpty() ? terminal.user() : words.operands().getFirst();
        String token =
                TokenCommand.token(
                        terminal,
                        user,
                        List.of(words.has("operator") ? "operator" : "user"),
                        LIFETIME_SECONDS);
        terminal.out().print(Mesh.of(terminal).gateway() + "/#token=" + token + "\n");
        return 0;
    }
}
