package io.berth.submit;

import static io.berth.submit.Checks.invalid;
import static io.berth.submit.Checks.line;
import static io.berth.submit.Checks.quoted;
import static java.util.Objects.requireNonNullElse;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.MailRequest;
import io.berth.contracts.MailType;
import io.berth.log.trace.TraceContext;
import io.berth.slurm.BatchScript;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.JobSubmission;
import io.berth.slurm.MailText;
import io.berth.submit.Refusal.InvalidScript;
import io.berth.submit.Refusal.ScriptTooLarge;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The parts of a [JobSpec] that only a job's launch needs: its script and what surrounds it.
public record Launch(
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
        @Nullable String command) {
    private static final int MAX_VARIABLES = 10_000;

    /// Linux's MAX_ARG_STRLEN, with the NUL.
    private static final int MOST_TEXT = 128 << 10;

    private static final int UTF8_MOST = 3;
    private static final String TOO_LONG = "128 KiB, with which no program can be started";
    private static final int MAX_ARGUMENTS = 10_000;

    /// A user's name, or a plain address.
    private static final Pattern ADDRESS =
            Pattern.compile("[A-Za-z0-9._%+-]{1,64}(@[A-Za-z0-9.-]{1,190})?");

    /// What a submission asks to launch, with defaults for what it leaves out.
    ///
    /// @param array whether each task of an array writes a file of its own
    /// @param cluster its name, which the job's programs find
    static Launch of(
            JobSubmission asked, JobDescription job, Caller caller, boolean array, String cluster)
            throws Refused {
        String directory =
                line(
                        "the working directory",
                        requireNonNullElse(asked.workingDirectory(), "/tmp"),
                        Checks.MAX_PATH);
        if (!directory.startsWith("/")) {
            throw invalid("the working directory " + quoted(directory) + " is not absolute");
        }
        return new Launch(
                script(asked.script()),
                arguments(requireNonNullElse(asked.arguments(), List.of())),
                told(
                        StepMeeting.in(
                                environment(requireNonNullElse(asked.environment(), Map.of())),
                                StepMeeting.has(job) || !asked.furtherComponents().isEmpty(),
                                caller),
                        cluster,
                        caller.trace()),
                directory,
                line(
                        "the output file",
                        requireNonNullElse(
                                asked.standardOutput(), array ? "slurm-%A_%a.out" : "slurm-%j.out"),
                        Checks.MAX_PATH),
                Checks.pathOrNull("the error file", asked.standardError()),
                Checks.pathOrNull("the input file", asked.standardInput()),
                requireNonNullElse(asked.appendOutput(), false),
                line(
                        "the submitting host",
                        requireNonNullElse(asked.submitHost(), caller.host()),
                        Checks.MAX_NAME),
                mail(asked.conditions()),
                container(asked.container()),
                command(asked.command()));
    }

    private static @Nullable String command(@Nullable String line) throws Refused {
        return line == null ? null : line("the command", line, JobSubmission.MAX_COMMAND);
    }

    private static @Nullable String container(@Nullable String path) throws Refused {
        String checked = Checks.pathOrNull("the container", path);
        if (checked != null && !checked.startsWith("/")) {
            throw invalid("the container " + quoted(checked) + " is no absolute path of a folder");
        }
        return checked;
    }

    /// With the cluster's name, and the trace that it is asked in, which the job's programs go on
    /// with.
    private static Map<String, String> told(
            Map<String, String> environment, String cluster, @Nullable TraceContext trace) {
        var variables = new TreeMap<>(environment);
        variables.put("SLURM_CLUSTER_NAME", cluster);
        if (trace != null) {
            variables.put(TraceContext.VARIABLE, trace.toString());
        }
        return variables;
    }

    JobSpec spec(JobId job, JobDescription description) {
        return new JobSpec(
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
                mail,
                container,
                Secret.random(),
                command);
    }

    /// Null for none.
    private static @Nullable MailRequest mail(JobSubmission.Terms asked) throws Refused {
        String text = asked.mailType();
        if (text == null) {
            return null;
        }
        List<MailType> types =
                MailText.parse(text)
                        .orElseThrow(() -> invalid("Invalid --mail-type: " + quoted(text)));
        String address = asked.mailUser();
        if (address != null && !ADDRESS.matcher(address).matches()) {
            throw invalid("the address for mail " + quoted(address) + " is none, such as a@b.org");
        }
        return types.isEmpty() ? null : new MailRequest(types, address);
    }

    private static String script(@Nullable String text) throws Refused {
        if (text == null) {
            throw new Refused(new InvalidScript("the job has no script"));
        }
        try {
            String script = BatchScript.of(text).text();
            if (!Checks.isText(script)) {
                throw new Refused(new InvalidScript("Batch script is not Unicode text."));
            }
            return script;
        } catch (InvalidOption e) {
            throw refused(e);
        }
    }

    /// The refusal that a script's own rules make.
    public static Refused refused(InvalidOption invalid) {
        String detail = String.valueOf(invalid.getMessage()).strip().replaceAll("\\s*\\R\\s*", " ");
        return new Refused(
                switch (invalid.code()) {
                    case "invalid_script" -> new InvalidScript(detail);
                    case "script_too_large" -> new ScriptTooLarge(detail);
                    default -> new Refusal.InvalidOption(detail);
                });
    }

    private static List<String> arguments(List<String> arguments) throws Refused {
        if (arguments.size() > MAX_ARGUMENTS) {
            throw invalid(
                    "the script has "
                            + arguments.size()
                            + " arguments, more than "
                            + MAX_ARGUMENTS);
        }
        for (String argument : arguments) {
            if (argument == null || !Checks.isText(argument)) {
                throw invalid("an argument of the script is null or no text");
            }
            if (tooLong(argument)) {
                throw invalid("an argument of the script is longer than " + TOO_LONG);
            }
        }
        return arguments;
    }

    /// Whether the kernel starts no program with the text that these make.
    private static boolean tooLong(String... parts) {
        int letters = 0;
        for (String part : parts) {
            letters += part.length();
        }
        return letters >= MOST_TEXT / UTF8_MOST
                && String.join("", parts).getBytes(StandardCharsets.UTF_8).length >= MOST_TEXT;
    }

    private static Map<String, String> environment(Map<String, String> environment) throws Refused {
        if (environment.size() > MAX_VARIABLES) {
            throw invalid(
                    "the environment has %d variables, more than %d"
                            .formatted(environment.size(), MAX_VARIABLES));
        }
        for (Entry<String, String> variable : environment.entrySet()) {
            String name = variable.getKey();
            if (name.isEmpty() || name.indexOf('=') >= 0 || !Checks.isText(name)) {
                throw invalid(
                        "environment variable " + quoted(name) + ": a name is a text without '='");
            }
            if (variable.getValue() == null || !Checks.isText(variable.getValue())) {
                throw invalid("environment variable " + quoted(name) + " is null or no text");
            }
            if (tooLong(name, "=", variable.getValue())) {
                throw invalid(
                        "environment variable " + quoted(name) + " is longer than " + TOO_LONG);
            }
        }
        return environment;
    }
}
