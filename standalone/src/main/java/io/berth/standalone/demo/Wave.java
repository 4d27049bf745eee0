package io.berth.standalone.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Scripts that a user submits at once, all alike but for how long they run.
///
/// @param gpus of each
/// @param days of each, in the demo's time
record Wave(String user, String name, int gpus, List<Double> days) {

    /// A day of the story, in seconds of the demo.
    static final double SECONDS_PER_DAY = 2;

    /// What the contenders do, in order: alice takes all GPUs and queues as much again; bob and
    /// carol come while these run, and dave while bob's job runs.
    static final Wave ALICE =
            new Wave(
                    "alice",
                    "tune",
                    1,
                    List.of(
                            1.0, 1.0, 1.5, 1.5, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
                            1.0, 1.0));

    static final Wave BOB = new Wave("bob", "train", 8, List.of(3.0));
    static final Wave CAROL = new Wave("carol", "check", 1, List.of(0.5, 0.5));
    static final Wave DAVE = new Wave("dave", "plot", 1, List.of(0.5));

    Wave {
        days = List.copyOf(days);
    }

    /// The submissions, as the gateway takes them.
    List<Map<String, Object>> submissions(String workingDirectory) {
        var submissions = new ArrayList<Map<String, Object>>();
        for (double length : days) {
            submissions.add(
                    Map.of(
                            "script",
                            "#!/bin/sh\necho \"GPUs $CUDA_VISIBLE_DEVICES\"\nexec sleep %s\n"
                                    .formatted(length * SECONDS_PER_DAY),
                            "name",
                            name,
                            "gpusPerNode",
                            gpus,
                            "gpuType",
                            "a100",
                            "timeLimitSeconds",
                            60,
                            "workingDirectory",
                            workingDirectory));
        }
        return submissions;
    }

    @Override
    public String toString() {
        double shortest = days.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
        double longest = days.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        String length =
                shortest == longest ? text(longest) : text(shortest) + " to " + text(longest);
        return "%s submits %d %s of %d GPU%s, %s days"
                .formatted(
                        user,
                        days.size(),
                        days.size() == 1 ? "script" : "scripts",
                        gpus,
                        gpus == 1 ? "" : "s",
                        length);
    }

    private static String text(double days) {
        return days == Math.rint(days) ? Long.toString(Math.round(days)) : Double.toString(days);
    }
}
