package io.berth.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// What follows the verb and the entity of `sacctmgr`: conditions, and what is to be set.
///
/// In `modify user where name=alice account=team_a set fairshare=3`, the conditions are up to
/// `set`. In other commands a word without `=` is a name, and `set` is [passed over][#plain].
record Clause(List<Setting> conditions, List<Setting> settings) {

    /// The key under which words without `=` stand.
    static final String NAME = "name";

    /// A setting.
    ///
    /// @param key in small letters
    /// @param sign `=`, `+` for `+=`, `-` for `-=`
    record Setting(String key, char sign, String value) {

        List<String> values() {
            return CliOption.split(value);
        }
    }

    static Clause of(List<String> words) {
        var conditions = new ArrayList<Setting>();
        var settings = new ArrayList<Setting>();
        List<Setting> current = conditions;
        for (String word : words) {
            switch (word.toLowerCase(Locale.ROOT)) {
                case "where" -> current = conditions;
                case "set" -> current = settings;
                default -> current.add(setting(word));
            }
        }
        return new Clause(conditions, settings);
    }

    private static Setting setting(String word) {
        int equals = word.indexOf('=');
        if (equals < 0) {
            return new Setting(NAME, '=', word);
        }
        char before = equals == 0 ? '=' : word.charAt(equals - 1);
        boolean signed = before == '+' || before == '-';
        String key = word.substring(0, signed ? equals - 1 : equals).toLowerCase(Locale.ROOT);
        return new Setting(key, signed ? before : '=', word.substring(equals + 1));
    }

    /// The same where `set` parts nothing, as in `add account physics set fairshare=3`.
    Clause plain() {
        return new Clause(
                Stream.concat(conditions.stream(), settings.stream()).toList(), List.of());
    }

    /// The same with other names of its keys.
    Clause keyed(UnaryOperator<String> full) {
        return new Clause(keyed(conditions, full), keyed(settings, full));
    }

    private static List<Setting> keyed(List<Setting> all, UnaryOperator<String> full) {
        return all.stream()
                .map(it -> new Setting(full.apply(it.key()), it.sign(), it.value()))
                .toList();
    }

    /// All values of conditions with one of these keys.
    List<String> named(String... keys) {
        var values = new ArrayList<String>();
        for (Setting condition : conditions) {
            if (List.of(keys).contains(condition.key())) {
                values.addAll(condition.values());
            }
        }
        return values;
    }

    /// The conditions with none of these keys.
    List<Setting> without(String... keys) {
        return conditions.stream().filter(it -> !List.of(keys).contains(it.key())).toList();
    }
}
