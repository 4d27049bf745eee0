package io.berth.submit.http;

import io.berth.contracts.JobSpec;
import io.berth.slurm.FilenamePattern;
import io.berth.submit.Job;
import java.nio.file.Path;

/// How a job is launched, as `scontrol show job` tells it.
///
/// @param command the script's path, or the program, with its arguments; empty if none was told
/// @param standardOutput the file's absolute path; `%N` stays in it until the job has a node
record LaunchJson(
        String workingDirectory,
        String standardOutput,
        String standardError,
        String standardInput,
        String command,
        String submitHost) {
    private static final String NOTHING = "/dev/null";

    static LaunchJson of(JobSpec spec, Job job) {
        String node =
                job.attempt() == null || job.attempt().allocations().isEmpty()
                        ? null
                        : job.attempt().allocations().getFirst().node().value();
        var pattern =
                new FilenamePattern(
                        job.id(),
                        spec.description().name(),
                        spec.description().user(),
                        node == null ? "%N" : node,
                        0,
                        job.description().array());
        if (!job.hasProgram()) {
            return new LaunchJson(
                    spec.workingDirectory(), NOTHING, NOTHING, NOTHING, "", spec.submitHost());
        }
        String output = absolute(spec, pattern, spec.standardOutput());
        return new LaunchJson(
                spec.workingDirectory(),
                output,
                spec.standardError() == null
                        ? output
                        : absolute(spec, pattern, spec.standardError()),
                spec.standardInput() == null
                        ? NOTHING
                        : absolute(spec, pattern, spec.standardInput()),
                spec.command() == null ? "" : spec.command(),
                spec.submitHost());
    }

    private static String absolute(JobSpec spec, FilenamePattern pattern, String file) {
        return Path.of(spec.workingDirectory()).resolve(pattern.expand(file)).toString();
    }
}
