package io.berth.cli;

import static io.berth.cli.CliOption.flag;

import io.berth.cli.CliOption.Words;
import io.berth.client.Mesh;
import java.util.List;

/// `berth console`: the address of the console, with a token that signs in whoever opens it.
final class ConsoleCommand implements Command {

    private static final long LIFETIME_SECONDS = 12 * 3600;

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("help", 'h', "this text"),
                    flag("admin", '\0', "may act as any user, and change all"),
                    flag("operator", '\0', "may look after all users and their jobs"),
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "console [USER] [--operator | --admin]: the console's address, for yourself or a user; good for 12 hours, or as long as the token that you have";
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
        boolean own = words.operands().isEmpty() && !words.has("admin") && !words.has("operator");
        if (!own && !TokenCommand.mayGive(terminal)) {
            throw CommandFailure.error(
                    "console",
                    "only who runs the mesh opens it for others or as an operator: leave out the user, --operator and --admin");
        }
        String user = words.operands().isEmpty() ? terminal.user() : words.operands().getFirst();
        String token =
                TokenCommand.mayGive(terminal)
                        ? TokenCommand.token(
                                terminal,
                                user,
                                List.of(
                                        TokenCommand.role(
                                                words.has("admin"), words.has("operator"))),
                                LIFETIME_SECONDS)
                        : Token.of(terminal, "console").text();
        terminal.out()
                .print(Mesh.of(terminal.surroundings()).gateway() + "/#token=" + token + "\n");
        return 0;
    }
}
