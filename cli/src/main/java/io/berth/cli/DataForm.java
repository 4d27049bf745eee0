package io.berth.cli;

import io.berth.cli.CliOption.Words;
import io.berth.client.JsonText;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A form in which a command answers programs.
enum DataForm {
    JSON,
    YAML;

    /// The options that ask for one.
    static final List<CliOption> OPTIONS =
            List.of(CliOption.flag("json", '\0', "JSON"), CliOption.flag("yaml", '\0', "YAML"));

    /// The form that is asked for; null is lines for people.
    static @Nullable DataForm of(Words words) {
        return words.has("json") ? JSON : words.has("yaml") ? YAML : null;
    }

    String text(Map<String, ? extends @Nullable Object> data) {
        return switch (this) {
            case JSON -> JsonText.pretty(data);
            case YAML -> YamlText.of(data);
        };
    }
}
