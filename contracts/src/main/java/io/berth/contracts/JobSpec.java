package io.berth.contracts;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What is to be launched: the script and its surroundings. Written once to `specs` before the job
/// is submitted, and never changed.
///
/// @param script the batch script's text, beginning with `#!`
/// @param arguments what follows the script on the command line
/// @param environment the variables that the job inherits from its submission
/// @param standardOutput the output file's pattern, such as `slurm-%j.out`, relative to the working
///   directory
/// @param standardError the error file's pattern; null joins it to the output
/// @param standardInput the input file; null is /dev/null
/// @param appendOutput whether output files are appended to and not truncated
/// @param submitHost the host that the submission came from, for `SLURM_SUBMIT_HOST`
/// @param mail null is none
/// @param container the folder, on the nodes, of the container that the script runs in: an OCI
///   bundle, or its files; null is none
/// @param key by which a gateway shows an agent that a request about the job is its own
///   ([io.berth.contracts.event.StepRequest], [io.berth.contracts.event.OutputRequest]); the job
///   itself is not told. Null if an older gateway wrote it
/// @param command what the user called, as `squeue` and `scontrol` tell it: the script's path, or
///   the program, and its arguments. Null if nothing tells it
public record JobSpec(
        JobId job,
        JobDescription description,
        String script,
        List<String> arguments,
        Map<String, String> environment,
        String workingDirectory,
        String standardOutput,
        @Nullable String standardError,
        @Nullable String standardInput,
        boolean appendOutput,
        String submitHost,
        @Nullable MailRequest mail,
        @Nullable String container,
        @Nullable String key,
        @Nullable String command) {

    /// The largest script, in bytes of UTF-8.
    public static final int MAX_SCRIPT_BYTES = 4 << 20;

    public JobSpec {
        arguments = List.copyOf(arguments);
        environment = Collections.unmodifiableMap(new TreeMap<>(environment));
    }

    /// Of a job in no container, without a key, whose user wants no mail.
    public JobSpec(
            JobId job,
            JobDescription description,
            String script,
            List<String> arguments,
            Map<String, String> environment,
            String workingDirectory,
            String standardOutput,
            @Nullable String standardError,
            @Nullable String standardInput,
            boolean appendOutput,
            String submitHost) {
        this(
                job,
                description,
                script,
                arguments,
                environment,
                workingDirectory,
                standardOutput,
                standardError,
                standardInput,
                appendOutput,
                submitHost,
                null,
                null,
                null,
                null);
    }
}
