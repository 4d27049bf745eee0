package io.berth.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// The Unix accounts of this machine. Berth's users need none.
@FunctionalInterface
interface Accounts {

    /// The id of those who have no account here.
    String NOBODY = "65534";

    /// The user's numeric id, [#NOBODY] if he has none.
    String idOf(String user);

    static Accounts ofMachine() {
        return user -> OfMachine.IDS.getOrDefault(user, NOBODY);
    }

    /// Read when the first is asked for.
    final class OfMachine {

        private static final Map<String, String> IDS = read();

        private OfMachine() {}

        /// The name of the account with this number; a name, or a number that nobody has, as it is.
        static String nameOf(String user) {
            return user.matches("[0-9]+")
                    ? IDS.entrySet().stream()
                            .filter(it -> it.getValue().equals(user))
                            .map(Map.Entry::getKey)
                            .sorted()
                            .findFirst()
                            .orElse(user)
                    : user;
        }

        private static Map<String, String> read() {
            var ids = new HashMap<String, String>();
            try {
                for (String line : Files.readAllLines(Path.of("/etc/passwd"))) {
                    String[] parts = line.split(":", -1);
                    if (parts.length > 2) {
                        ids.putIfAbsent(parts[0], parts[2]);
                    }
                }
            } catch (IOException e) {
                // Nobody has an account then.
            }
            return ids;
        }
    }
}
