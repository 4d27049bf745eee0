package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.client.Surroundings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The token that the caller shows to the mesh, with what it says of him. It is not verified here:
/// the services do that, and [Me] says what they make of it.
///
/// @param user whom the token names
/// @param operator whether it says that he may look after others and their jobs, as an admin may
/// @param admin whether it says that he may act as others
/// @param socket where a new one can be had when it has expired; null for none
record Token(String text, String user, boolean operator, boolean admin, @Nullable Path socket) {

    /// The token of BERTH_TOKEN, else the mesh's operator token if the caller may read it, else the
    /// one that this machine's token socket gives him.
    static Token of(Terminal terminal, String command) throws CommandFailure {
        Surroundings here = terminal.surroundings();
        Optional<String> text = here.token();
        if (text.isPresent()) {
            return parse(text.get());
        }
        Path socket = socket(terminal);
        if (Files.exists(socket)) {
            return ofSocket(socket, command);
        }
        throw CommandFailure.error(command, here.noToken());
    }

    private static Path socket(Terminal terminal) {
        String named = terminal.variable("BERTH_TOKEN_SOCKET", "");
        return named.isEmpty() ? TokenSocket.DEFAULT : terminal.directory().resolve(named);
    }

    /// The token that a token socket has for the caller.
    static Token ofSocket(Path socket, String command) throws CommandFailure {
        try {
            Token token = parse(TokenSocket.ask(socket));
            return new Token(token.text, token.user, token.operator, token.admin, socket);
        } catch (IOException e) {
            throw CommandFailure.error(command, "no token from " + socket + ": " + e.getMessage());
        }
    }

    static Token parse(String text) {
        String[] parts = text.split("\\.", -1);
        try {
            JsonObject claims =
                    parts.length == 3
                            ? JsonObject.read(Base64.getUrlDecoder().decode(parts[1]))
                            : JsonObject.EMPTY;
            String user =
                    Stream.of("upn", "preferred_username", "sub")
                            .filter(claims::has)
                            .findFirst()
                            .map(claims::text)
                            .orElse("");
            List<String> groups = claims.texts("groups");
            boolean admin = groups.contains("admin");
            return new Token(text, user, admin || groups.contains("operator"), admin, null);
        } catch (IOException | IllegalArgumentException e) {
            return new Token(text, "", false, false, null);
        }
    }

    /// The user in whose name the caller acts: the one that BERTH_USER names, which the gateway
    /// lets admins do alone; else an admin acts for the Unix user that he is.
    String actsFor(Terminal terminal) {
        return terminal.variable("BERTH_USER", admin ? terminal.user() : user);
    }

    /// The user whose job a submission is to be; null for the one that the token names.
    @Nullable String submitsFor(Terminal terminal) {
        String other = actsFor(terminal);
        return other.equals(user) ? null : other;
    }
}
