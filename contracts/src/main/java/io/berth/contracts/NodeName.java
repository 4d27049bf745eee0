package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Pattern;

/// A node's name: letters, digits, `.`, `_` and `-`, 1 to 63 characters, beginning with a letter or
/// a digit.
public record NodeName(@JsonValue String value) implements Comparable<NodeName> {

    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public NodeName {
        if (!VALID.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "node name '" + value + "' is not 1 to 63 letters, digits, '.', '_' or '-'");
        }
    }

    @Override
    public int compareTo(NodeName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
