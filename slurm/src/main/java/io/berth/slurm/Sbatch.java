package io.berth.slurm;

import io.berth.contracts.LaunchMode;
import io.berth.slurm.GetOpt.Given;
import io.berth.slurm.OptionName.Argument;
import io.berth.slurm.SbatchOption.Treatment.Different;
import io.berth.slurm.SbatchOption.Treatment.Ignored;
import io.berth.slurm.SbatchOption.Treatment.Refused;
import io.berth.slurm.SbatchOption.Treatment.Same;
import java.util.ArrayList;
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
/// nothing; `--topology=LEVEL`, of which its nodes are in one domain;
/// `--preempt=never|lower|always`, whose place the job takes; and `--max-wait=TIME`, after which it
/// waits no longer.
public final class Sbatch {

    /// What parts the components of a heterogeneous job in a script; the latter is its old name.
    private static final Set<String> NEXT_COMPONENT = Set.of("hetjob", "packjob");

    /// The most components that Slurm takes too (`MAX_HET_JOB_COMPS`).
    private static final int MAX_COMPONENTS = 128;

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
    public static SbatchLine commandLine(List<String> words) throws InvalidOption {
        var components = new ArrayList<List<Given<SbatchOption>>>();
        for (List<String> rest = words; ; ) {
            GetOpt<SbatchOption> line = GetOpt.untilOperand(SbatchOption.TABLE, rest);
            components.add(line.options());
            rest = line.operands();
            if (rest.isEmpty() || !rest.getFirst().equals(":")) {
                return new SbatchLine(components, rest);
            }
            rest = rest.subList(1, rest.size());
        }
    }

    /// The options of a script's lines, by component.
    private static List<List<Given<SbatchOption>>> lines(BatchScript script) throws InvalidOption {
        var components = new ArrayList<List<Given<SbatchOption>>>();
        for (List<String> rest = script.directives("#SBATCH"); ; ) {
            GetOpt<SbatchOption> line = GetOpt.untilOperand(SbatchOption.TABLE, rest);
            components.add(line.options());
            rest = line.operands();
            if (rest.isEmpty()) {
                return components;
            }
            if (!NEXT_COMPONENT.contains(rest.getFirst())) {
                throw InvalidOption.refused(
                        "Invalid directive found in batch script: " + rest.getFirst());
            }
            rest = rest.subList(1, rest.size());
        }
    }

    /// The job that a script and its options ask for, with what they ask of `sbatch` itself.
    ///
    /// A component of a heterogeneous job has the options of its own part of the script, over them
    /// the variables, and over them its own part of the command line. Before all of these it has
    /// those options of the components before it that Slurm hands on, see [SbatchSetting#handedOn].
    ///
    /// @throws InvalidOption in Slurm's words
    public static SbatchRequest request(
            SbatchLine commandLine,
            Map<String, String> environment,
            BatchScript script,
            List<String> scriptArguments,
            SubmittedFrom from)
            throws InvalidOption {
        List<List<Given<SbatchOption>>> lines = lines(script);
        int count = Math.max(lines.size(), commandLine.components().size());
        if (count > MAX_COMPONENTS) {
            throw InvalidOption.refused(
                    "Batch job submission failed: a heterogeneous job has %d components, and may have %d"
                            .formatted(count, MAX_COMPONENTS));
        }
        List<Given<SbatchOption>> variables = variables(environment);
        var handedOn = new ArrayList<Given<SbatchOption>>();
        var drafts = new ArrayList<SbatchDraft>();
        for (int i = 0; i < count; i++) {
            var draft = new SbatchDraft(from);
            List<Given<SbatchOption>> own = part(lines, i);
            List<Given<SbatchOption>> typed = part(commandLine.components(), i);
            apply(handedOn, false, draft);
            apply(own, false, draft);
            apply(variables, true, draft);
            apply(typed, false, draft);
            handOn(own, handedOn);
            handOn(typed, handedOn);
            drafts.add(draft);
        }
        LaunchMode launch = null;
        for (SbatchDraft draft : drafts) {
            launch = launch(script, draft);
        }
        var components = new ArrayList<SbatchRequest>();
        for (SbatchDraft draft : drafts.subList(1, count)) {
            components.add(draft.component());
        }
        return drafts.getFirst()
                .request(script.text(), scriptArguments, environment, launch, components);
    }

    private static <T> List<T> part(List<List<T>> parts, int number) {
        return number < parts.size() ? parts.get(number) : List.of();
    }

    private static void handOn(
            List<Given<SbatchOption>> options, List<Given<SbatchOption>> handedOn) {
        for (Given<SbatchOption> given : options) {
            SbatchSetting setting = settingOf(given.option());
            if (setting != null && setting.handedOn()) {
                handedOn.add(given);
            }
        }
    }

    /// The options that variables give.
    private static List<Given<SbatchOption>> variables(Map<String, String> environment) {
        var variables = new ArrayList<Given<SbatchOption>>();
        for (SbatchOption option : SbatchOption.TABLE) {
            String value = option.variable() == null ? null : environment.get(option.variable());
            if (value != null) {
                boolean bare = option.argument() == Argument.NONE;
                variables.add(new Given<>(option, bare ? null : value));
            }
        }
        return variables;
    }

    private static void apply(
            List<Given<SbatchOption>> options, boolean fromEnvironment, SbatchDraft draft)
            throws InvalidOption {
        for (Given<SbatchOption> given : options) {
            apply(given, fromEnvironment, draft);
        }
    }

    private static void apply(Given<SbatchOption> given, boolean fromEnvironment, SbatchDraft draft)
            throws InvalidOption {
        SbatchOption option = given.option();
        switch (option.treatment()) {
            case Same same -> draft.set(same.setting(), given, fromEnvironment);
            case Different different -> draft.set(different.setting(), given, fromEnvironment);
            case Ignored _ -> {}
            case Refused it ->
                    throw InvalidOption.refused(
                            "--%s is not supported yet%s%s"
                                    .formatted(
                                            option.longName(),
                                            it.instead().isEmpty() ? "" : ": ",
                                            it.instead()));
        }
    }

    static @Nullable SbatchSetting settingOf(SbatchOption option) {
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
                case TOPOLOGY -> draft.where.topology(given.required());
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
        PREEMPT,
        TOPOLOGY;

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
