package io.berth.accounting.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.slurm.SlurmTime;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A map of a YAML file, which knows where it stands: every complaint about it names the place.
record YamlMap(String where, JsonNode node) {

    static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

    private static final YAMLMapper MAPPER =
            YAMLMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .build();

    static YamlMap parse(String yaml) throws InvalidClusterFile {
        return of("", tree(yaml));
    }

    /// A YAML text as a tree.
    static JsonNode tree(String yaml) throws InvalidClusterFile {
        try {
            JsonNode node = MAPPER.readTree(yaml);
            return node == null ? NullNode.instance : node;
        } catch (JsonProcessingException e) {
            var location = e.getLocation();
            throw new InvalidClusterFile(
                    location == null ? "" : "line " + location.getLineNr(),
                    e.getOriginalMessage().lines().findFirst().orElse("no YAML"));
        }
    }

    static YamlMap of(String where, JsonNode node) throws InvalidClusterFile {
        if (!node.isObject()) {
            throw new InvalidClusterFile(where, "a map of keys and values is expected here");
        }
        return new YamlMap(where, node);
    }

    /// Refuses keys that are none of these.
    void only(String... keys) throws InvalidClusterFile {
        List<String> allowed = List.of(keys);
        for (String key : keys()) {
            if (!allowed.contains(key)) {
                throw new InvalidClusterFile(
                        place(key), "unknown key; known are " + String.join(", ", allowed));
            }
        }
    }

    /// In the file's order.
    List<String> keys() {
        var keys = new ArrayList<String>();
        node.fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    /// The keys, each a valid name.
    List<String> names() throws InvalidClusterFile {
        for (String key : keys()) {
            checkName(place(key), key);
        }
        return keys();
    }

    boolean has(String key) {
        return !at(key).isMissingNode() && !at(key).isNull();
    }

    JsonNode at(String key) {
        return node.path(key);
    }

    String place(String key) {
        return where.isEmpty() ? key : where + "." + key;
    }

    YamlMap map(String key) throws InvalidClusterFile {
        return has(key)
                ? of(place(key), at(key))
                : new YamlMap(place(key), MAPPER.createObjectNode());
    }

    String name(String key) throws InvalidClusterFile {
        String name = text(key);
        if (name == null) {
            throw new InvalidClusterFile(place(key), "a name is required here");
        }
        checkName(place(key), name);
        return name;
    }

    @Nullable String text(String key) throws InvalidClusterFile {
        if (!has(key)) {
            return null;
        }
        if (!at(key).isValueNode()) {
            throw new InvalidClusterFile(place(key), "a text is expected here");
        }
        return at(key).asText();
    }

    boolean flag(String key) throws InvalidClusterFile {
        if (has(key) && !at(key).isBoolean()) {
            throw new InvalidClusterFile(place(key), "'" + at(key) + "' is not true or false");
        }
        return at(key).asBoolean(false);
    }

    /// A whole number from 0.
    int number(String key, int absent) throws InvalidClusterFile {
        if (!has(key)) {
            return absent;
        }
        return number(place(key), at(key));
    }

    static int number(String place, JsonNode value) throws InvalidClusterFile {
        if (!value.isInt() || value.intValue() < 0) {
            throw new InvalidClusterFile(
                    place, "'" + value.asText() + "' is not a whole number from 0 to 2147483647");
        }
        return value.intValue();
    }

    /// A decimal number from 0 with at most three decimals, in thousandths.
    long thousandths(String key) throws InvalidClusterFile {
        if (!has(key)) {
            return 0;
        }
        try {
            BigDecimal value = at(key).isNumber() ? at(key).decimalValue() : null;
            if (value != null
                    && value.signum() >= 0
                    && value.compareTo(BigDecimal.valueOf(1_000_000_000)) <= 0) {
                return value.movePointRight(3).longValueExact();
            }
        } catch (ArithmeticException e) {
            // More than three decimals: refused below like any other text.
        }
        throw new InvalidClusterFile(
                place(key),
                "'" + at(key).asText() + "' is not a number from 0 with at most three decimals");
    }

    /// Seconds of a Slurm time, rounded up to whole minutes; 0 is unlimited.
    long seconds(String key, long absent) throws InvalidClusterFile {
        return Math.ceilDiv(exactSeconds(key, absent), 60) * 60;
    }

    /// The same, not rounded.
    long exactSeconds(String key, long absent) throws InvalidClusterFile {
        String text = text(key);
        if (text == null) {
            return absent;
        }
        return SlurmTime.parse(text)
                .orElseThrow(() ->
                        new InvalidClusterFile(
                                place(key),
                                "'"
                                        + text
                                        + "' is not a time such as 30 (minutes), \"4:00:00\", 7-0 or UNLIMITED"));
    }

    /// Names in a list, or in a text with commas between them.
    List<String> nameList(String key) throws InvalidClusterFile {
        List<String> names = texts(key);
        for (String name : names) {
            checkName(place(key), name);
        }
        return names;
    }

    /// The same, each with a `-` before it or without.
    List<String> signedNameList(String key) throws InvalidClusterFile {
        List<String> names = texts(key);
        for (String name : names) {
            checkName(place(key), name.startsWith("-") ? name.substring(1) : name);
        }
        return names;
    }

    /// Texts in a list, or in one with commas between them.
    List<String> texts(String key) throws InvalidClusterFile {
        if (!has(key)) {
            return List.of();
        }
        var names = new ArrayList<String>();
        if (at(key).isArray()) {
            at(key).forEach(it -> names.add(it.asText()));
        } else {
            for (String name : String.valueOf(text(key)).split(",")) {
                names.add(name.strip());
            }
        }
        return names;
    }

    /// One of an enum's constants, by its name without regard to case and `_`.
    <E extends Enum<E>> E choice(String key, E absent) throws InvalidClusterFile {
        String text = text(key);
        if (text == null) {
            return absent;
        }
        return choice(place(key), text, absent.getDeclaringClass());
    }

    static <E extends Enum<E>> E choice(String place, String text, Class<E> type)
            throws InvalidClusterFile {
        var known = new ArrayList<String>();
        for (E constant : type.getEnumConstants()) {
            String plain = constant.name().replace("_", "");
            if (plain.equalsIgnoreCase(text.replace("_", ""))) {
                return constant;
            }
            known.add(camelCase(constant.name()));
        }
        throw new InvalidClusterFile(
                place, "'" + text + "' is none of " + String.join(", ", known));
    }

    private static String camelCase(String constant) {
        var camel = new StringBuilder();
        for (String word : constant.split("_")) {
            camel.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return camel.toString();
    }

    /// Refuses names that are not among the known ones.
    static void refuseUnknown(
            String place, String what, Collection<String> names, Collection<String> known)
            throws InvalidClusterFile {
        for (String name : names) {
            if (!known.contains(name)) {
                throw new InvalidClusterFile(place, "there is no " + what + " '" + name + "'");
            }
        }
    }

    private static void checkName(String place, String name) throws InvalidClusterFile {
        if (!NAME.matcher(name).matches()) {
            throw new InvalidClusterFile(
                    place,
                    "'" + name + "' is not a name: 1 to 63 letters, digits, '.', '_' or '-'");
        }
    }
}
