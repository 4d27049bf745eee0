package io.berth.contracts;

import java.util.List;

/// The steps that a script started: the first of them, by number.
///
/// @param more how many there were beyond these
public record Steps(List<Step> each, int more) {

    public Steps {
        each = List.copyOf(each);
    }
}
