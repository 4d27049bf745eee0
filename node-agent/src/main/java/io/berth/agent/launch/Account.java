package io.berth.agent.launch;

import java.util.List;
import java.util.stream.Collectors;

/// The operating system's account that a script runs under.
///
/// @param groups all that it is in, by number
/// @param switched whether it is not the agent's own, so that the task must turn into it
public record Account(long uid, long gid, List<Long> groups, String home, boolean switched) {

    public Account {
        groups = List.copyOf(groups);
    }

    /// The agent's own.
    static Account own(long uid, long gid, String home) {
        return new Account(uid, gid, List.of(), home, false);
    }

    /// Its numbers, as words: uid, gid, and the groups with commas between them.
    List<String> numbers() {
        return List.of(
                Long.toString(uid),
                Long.toString(gid),
                groups.stream().map(String::valueOf).collect(Collectors.joining(",")));
    }
}
