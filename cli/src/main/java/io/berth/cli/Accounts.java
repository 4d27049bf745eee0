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

        private static final int ID = 2;
        private static final int COMMENT = 4;

        private static final Map<String, String> IDS = read(ID);

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

        /// Whether the user has an account here.
        static boolean has(String user) {
            return IDS.containsKey(user);
        }

        /// Who the user is by his account; empty if that does not say it.
        static String properName(String user) {
            return Comments.OF.getOrDefault(user, "").replaceFirst(",.*", "");
        }

        /// Few ask for them.
        private static final class Comments {

            private static final Map<String, String> OF = read(COMMENT);

            private Comments() {}
        }

        /// A field of each account.
        private static Map<String, String> read(int field) {
            var accounts = new HashMap<String, String>();
            try {
                for (String line : Files.readAllLines(Path.of("/etc/passwd"))) {
                    String[] parts = line.split(":", -1);
                    if (parts.length > field) {
                        accounts.putIfAbsent(parts[0], parts[field]);
                    }
                }
            } catch (IOException e) {
                // Nobody has an account then.
            }
            return accounts;
        }
    }
}
