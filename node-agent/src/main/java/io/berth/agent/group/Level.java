package io.berth.agent.group;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a group holds. The groups in it have names as in Slurm: `step_3` in a run's, `task_0` in a
/// step's.
enum Level {
    RUN("step_"),
    STEP("task_"),
    TASK("part_");

    private final String prefix;
    private final Pattern child;

    Level(String prefix) {
        this.prefix = prefix;
        this.child = Pattern.compile(prefix + "([0-9]{1,9})");
    }

    Level below() {
        return this == RUN ? STEP : TASK;
    }

    String child(int number) {
        return prefix + number;
    }

    /// Finds the number in the name of a group in it, if it is one of these.
    Matcher child(String name) {
        return child.matcher(name);
    }
}
