package io.berth.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// What a program finds around it that tells where the mesh is, and in whose name it asks.
///
/// @param environment its variables; one that is empty is not set
/// @param directory the one that it runs in
public record Surroundings(Map<String, String> environment, Path directory) {

    public static Surroundings ofProcess() {
        return new Surroundings(System.getenv(), Path.of("").toAbsolutePath());
    }

    /// The variable's value, or `otherwise` if it is not set or empty.
    public String variable(String name, String otherwise) {
        String value = environment.get(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    /// The folder of Berth's data.
    public Path home() {
        String home = variable("BERTH_HOME", "");
        return home.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".berth")
                : directory.resolve(home);
    }

    /// Where `berth up` has written the operator's token.
    public Path operatorToken() {
        return home().resolve("operator.token");
    }

    /// What is wrong where there is no token.
    public String noToken() {
        return "no token: set BERTH_TOKEN, or start a mesh here with 'berth up', which writes "
                + operatorToken();
    }

    /// The token of `BERTH_TOKEN`, else the operator's if it may be read.
    public Optional<String> token() {
        String text = variable("BERTH_TOKEN", "");
        if (!text.isEmpty()) {
            return Optional.of(text.strip());
        }
        try {
            return Optional.of(Files.readString(operatorToken()).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
