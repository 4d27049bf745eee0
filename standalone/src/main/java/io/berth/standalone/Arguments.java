package io.berth.standalone;

import io.berth.standalone.mesh.CannotStart;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// A command's arguments, taken one option after the other: `--name value`, `--name=value` or
/// `--flag`.
final class Arguments {

    private final Deque<String> rest;

    Arguments(List<String> arguments) {
        this.rest = new ArrayDeque<>(arguments);
    }

    boolean isEmpty() {
        return rest.isEmpty();
    }

    /// The name of the next option; a value in the same word comes next.
    String option() {
        String[] words = rest.pop().split("=", 2);
        if (words.length == 2) {
            rest.push(words[1]);
        }
        return words[0];
    }

    /// The value of the option just taken.
    ///
    /// @throws CannotStart if there is none
    String value(String option) {
        if (rest.isEmpty()) {
            throw new CannotStart(option + " needs a value");
        }
        return rest.pop();
    }
}
