package io.berth.accounting.cluster;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The key `preemptMode`: what happens to a job whose place another one gets.
final class PreemptModes {

    private static final Set<String> KNOWN = Set.of("OFF", "CANCEL", "REQUEUE", "SUSPEND");

    private PreemptModes() {}

    static @Nullable String of(YamlMap map) throws InvalidClusterFile {
        // YAML reads an unquoted OFF as a text, and other programs as false.
        String text = map.text("preemptMode");
        if (text == null) {
            return null;
        }
        String mode = text.toUpperCase(Locale.ROOT);
        if (!KNOWN.contains(mode)) {
            throw new InvalidClusterFile(
                    map.place("preemptMode"),
                    "'" + text + "' is none of OFF, CANCEL, REQUEUE, SUSPEND");
        }
        return mode;
    }
}
