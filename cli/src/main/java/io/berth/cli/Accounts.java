package io.berth.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The Unix accounts of this machine. Berth's users need none.
@FunctionalInterface
interface Accounts {

    /// The id of those who have no account here.
    String NOBODY = "65534";

    /// The user's numeric id, [#NOBODY] if he has none.
    String idOf(String user);

    static Accounts ofMachine() {
        return user -> {
            try {
                for (String line : Files.readAllLines(Path.of("/etc/passwd"))) {
                    String[] parts = line.split(":", -1);
                    if (parts.length > 2 && parts[0].equals(user)) {
                        return parts[2];
                    }
                }
                return NOBODY;
            } catch (IOException e) {
                return NOBODY;
            }
        };
    }
}
