package io.berth.cli;

import java.util.List;

/// What `scontrol token` tells: a token for programs that speak with `slurmrestd`.
///
/// Source: scontrol(1) of Slurm 22.05.
final class SlurmJwt {
    private static final long LIFESPAN_SECONDS = 1800;
    private static final Long INFINITE = 100L * 365 * 86_400;

    private SlurmJwt() {}

    /// A new one where the caller may read the mesh's key; else the one that he has.
    ///
    /// @param settings `lifespan=SECONDS` and `username=NAME`
    static String of(Terminal terminal, List<String> settings) throws CommandFailure {
        Token own = Token.of(terminal, "scontrol");
        String user = "";
        Long seconds = null;
        for (String setting : settings) {
            String value = setting.substring(setting.indexOf('=') + 1);
            if (setting.startsWith("username=") && !value.isBlank()) {
                user = value;
            } else if (setting.startsWith("lifespan=")) {
                seconds = value.equals("infinite") ? INFINITE : JobIds.parse(value);
                if (seconds == null || seconds == 0) {
                    throw CommandFailure.error("scontrol", "Invalid lifespan: " + value);
                }
            } else {
                throw new CommandFailure(
                        1, "Invalid token parameter: " + setting + ": lifespan= or username=\n");
            }
        }
        if (TokenCommand.mayGive(terminal)) {
            boolean other = !user.isEmpty() && !user.equals(terminal.user());
            String role = TokenCommand.role(own.admin() && !other, own.operator() && !other);
            String name = user.isEmpty() ? terminal.user() : user;
            return TokenCommand.token(
                    terminal,
                    name,
                    TokenCommand.groups(role, UnixGroups.of(name)),
                    seconds == null ? LIFESPAN_SECONDS : seconds);
        }
        if (seconds != null || !(user.isEmpty() || user.equals(own.user()))) {
            throw CommandFailure.error(
                    "scontrol",
                    "a token of another user or lifespan is for who may read the mesh's key; without lifespan= and username= it is the one that you have");
        }
        return own.text();
    }
}
