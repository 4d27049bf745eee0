package io.berth.slurm;

import io.berth.contracts.LaunchMode;
import io.berth.slurm.GetOpt.Given;
import io.berth.slurm.OptionName.Argument;
import io.berth.slurm.SbatchOption.Treatment.Different;
import io.berth.slurm.SbatchOption.Treatment.Ignored;
import io.berth.slurm.SbatchOption.Treatment.Refused;
import io.berth.slurm.SbatchOption.Treatment.Same;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The reading of a batch script with its options as Slurm's `sbatch` reads it.
///
/// An option on the command line outranks its `SBATCH_*` variable, which outranks a `#SBATCH` line.
/// Lines that begin with `#BERTH` carry what Slurm has no word for, and Slurm ignores them:
/// `--launch=batch|per-node`, where `per-node` runs the script once on every node, each as one
/// replica of a training job; `--parallel=data|model`, where `model` is one NVLink island or
/// nothing; `--preempt=never|lower|always`, whose place the job takes; and `--max-wait=TIME`, after
/// which it waits no longer.
public final class Sbatch {

    private static final Set<String> NEXT_COMPONENT = Set.of(":", "hetjob", "packjob");

    private static final List<BerthOption> BERTH_TABLE = List.of(BerthOption.values());

    private Sbatch() {}

    /// The job that a script and its options ask for.
    ///
    /// @param options as on the command line, without the script and its arguments
    /// @param environment the submitter's; `SBATCH_*` variables are options, and the job inherits
    ///   what `--export` selects
    /// @throws InvalidOption in Slurm's words
    public static JobSubmission submission(
            List<String> options,
            Map<String, String> environment,
            String script,
            List<String> scriptArguments)
            throws InvalidOption {
        return request(
                        commandLine(options),
                        environment,
                        BatchScript.of(script),
                        scriptArguments,
                        SubmittedFrom.UNKNOWN)
                .submission();
    }

    /// The words after `sbatch`: options, and as operands the script and its arguments.
    ///
    /// @throws InvalidOption if an option is unknown or lacks its argument
    public static GetOpt<SbatchOption> commandLine(List<String> words) throws InvalidOption {
        GetOpt<SbatchOption> line = GetOpt.untilOperand(SbatchOption.TABLE, words);
        if (line.operands().stream().limit(1).anyMatch(":"::equals)) {
            throw heterogeneous(":");
        }
        return line;
    }

    private static InvalidOption heterogeneous(String word) {
        return InvalidOption.refused(
                "heterogeneous jobs ('"
                        + word
                        + "') are not supported: submit each component as a job of its own");
    }

    /// The value of the last option on the command line that gives this setting, "" if the option
    /// has none; null if it is not given.
    public static @Nullable String given(GetOpt<SbatchOption> commandLine, SbatchSetting setting) {
        String value = null;
        for (Given<SbatchOption> given : commandLine.options()) {
            if (settingOf(given.option()) == setting) {
                value = given.value() == null ? "" : given.value();
            }
        }
        return value;
    }

    /// The job that a script and its options ask for, with what they ask of `sbatch` itself.
    ///
    /// @throws InvalidOption in Slurm's words
    public static SbatchRequest request(
            GetOpt<SbatchOption> commandLine,
            Map<String, String> environment,
            BatchScript script,
            List<String> scriptArguments,
            SubmittedFrom from)
            throws InvalidOption {
        var draft = new SbatchDraft(from);
        GetOpt<SbatchOption> lines =
                GetOpt.untilOperand(SbatchOption.TABLE, script.directives("#SBATCH"));
        if (!lines.operands().isEmpty()) {
            String word = lines.operands().getFirst();
            throw NEXT_COMPONENT.contains(word)
                    ? heterogeneous(word)
                    : InvalidOption.refused("Invalid directive found in batch script: " + word);
        }
        for (Given<SbatchOption> given : lines.options()) {
            apply(given, false, draft);
        }
        for (SbatchOption option : SbatchOption.TABLE) {
            String value = option.variable() == null ? null : environment.get(option.variable());
            if (value != null) {
                boolean bare = option.argument() == Argument.NONE;
                apply(new Given<>(option, bare ? null : value), true, draft);
            }
        }
        for (Given<SbatchOption> given : commandLine.options()) {
            apply(given, false, draft);
        }
        return draft.request(script.text(), scriptArguments, environment, launch(script, draft));
    }

    private static void apply(Given<SbatchOption> given, boolean fromEnvironment, SbatchDraft draft)
            throws InvalidOption {
        SbatchOption option = given.option();
        switch (option.treatment()) {
            case Same same -> draft.set(same.setting(), given, fromEnvironment);
            case Different different -> draft.set(different.setting(), given, fromEnvironment);
            case Ignored _ -> {}
            case Refused _ ->
                    throw InvalidOption.refused("--" + option.longName() + " is not supported yet");
        }
    }

    private static @Nullable SbatchSetting settingOf(SbatchOption option) {
        return switch (option.treatment()) {
            case Same same -> same.setting();
            case Different different -> different.setting();
            case Ignored _, Refused _ -> null;
        };
    }

    private static @Nullable LaunchMode launch(BatchScript script, SbatchDraft draft)
            throws InvalidOption {
        GetOpt<BerthOption> lines = GetOpt.untilOperand(BERTH_TABLE, script.directives("#BERTH"));
        if (!lines.operands().isEmpty()) {
            throw InvalidOption.refused(
                    "Invalid directive found in batch script: " + lines.operands().getFirst());
        }
        LaunchMode launch = null;
        for (Given<BerthOption> given : lines.options()) {
            switch (given.option()) {
                case LAUNCH -> launch = launchMode(given.required());
                case MAX_WAIT -> draft.terms.maxWait(given.required());
                case PARALLEL -> draft.where.parallel(given.required());
                case PREEMPT -> draft.terms.preempt(given.required());
            }
        }
        return launch;
    }

    private static LaunchMode launchMode(String text) throws InvalidOption {
        return switch (text) {
            case "batch" -> LaunchMode.BATCH;
            case "per-node" -> LaunchMode.PER_NODE;
            default -> throw InvalidOption.malformed("Invalid --launch specification");
        };
    }

    /// The options of `#BERTH` lines.
    private enum BerthOption implements OptionName {
        LAUNCH,
        MAX_WAIT,
        PARALLEL,
        PREEMPT;

        @Override
        public String longName() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        @Override
        public char letter() {
            return 0;
        }

        @Override
        public Argument argument() {
            return Argument.REQUIRED;
        }
    }
}
