package io.berth.slurm;

import io.berth.slurm.GetOpt.Given;
import io.berth.slurm.OptionName.Argument;
import io.berth.slurm.SrunOption.Meaning;
import io.berth.slurm.SrunOption.Setting;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The words after `srun` or `salloc`, taken apart by whom they speak to; of a heterogeneous job,
/// or of a step on several of its components, those of one part between `:`.
///
/// @param job options of the job, as `sbatch` has them
/// @param step options of the step, as they are handed on
/// @param own what is set in the command itself; "" where the option was given no value
/// @param command the program and its arguments; empty if none is given
public record SrunCommandLine(
        GetOpt<SbatchOption> job,
        List<String> step,
        Map<Setting, String> own,
        List<String> command) {

    /// With it the job has the CPUs of one task on each node, however many tasks its step has.
    private static final String OVERCOMMIT = "--overcommit";

    /// What it makes nothing of in the job.
    private static final Set<String> TASKS_OF =
            Set.of(
                    "ntasks-per-core",
                    "ntasks-per-gpu",
                    "ntasks-per-node",
                    "ntasks-per-socket",
                    "tasks-per-node");

    private static final Set<String> MEMORY = Set.of("mem", "mem-per-cpu", "mem-per-gpu");

    /// The parts of the words after `srun`, each with its program; one that has none has that of
    /// the next. No program has a `:` among its arguments.
    ///
    /// @param environment whose variables give options that the words of a part do not: none that
    ///   is empty, and no flag by `0`, `no` or `false`
    /// @throws InvalidOption if an option is unknown, lacks its argument or is not supported
    public static List<SrunCommandLine> srun(List<String> words, Map<String, String> environment)
            throws InvalidOption {
        var parts = new ArrayList<SrunCommandLine>();
        for (List<String> rest = words; ; ) {
            GetOpt<SrunOption> line = GetOpt.untilOperand(SrunOption.TABLE, rest);
            int end = line.operands().indexOf(":");
            List<String> command = end < 0 ? line.operands() : line.operands().subList(0, end);
            parts.add(of(SrunOption.TABLE, line.options(), command, environment));
            if (end < 0) {
                return List.copyOf(parts);
            }
            rest = line.operands().subList(end + 1, line.operands().size());
        }
    }

    /// The components of the words after `salloc`; the command is the last one's.
    ///
    /// @param environment as `srun` has it
    /// @throws InvalidOption if an option is unknown, lacks its argument or is not supported
    public static List<SrunCommandLine> salloc(List<String> words, Map<String, String> environment)
            throws InvalidOption {
        var parts = new ArrayList<SrunCommandLine>();
        for (List<String> rest = words; ; ) {
            GetOpt<SrunOption> line = GetOpt.untilOperand(SrunOption.SALLOC, rest);
            boolean last = line.operands().isEmpty() || !line.operands().getFirst().equals(":");
            List<String> command = last ? line.operands() : List.of();
            parts.add(of(SrunOption.SALLOC, line.options(), command, environment));
            if (last) {
                return List.copyOf(parts);
            }
            rest = line.operands().subList(1, line.operands().size());
        }
    }

    private static SrunCommandLine of(
            List<SrunOption> table,
            List<Given<SrunOption>> typed,
            List<String> command,
            Map<String, String> environment)
            throws InvalidOption {
        var options = new ArrayList<Given<SrunOption>>();
        for (SrunOption option : table) {
            if (typed.stream().noneMatch(it -> outranks(it.option(), option))) {
                given(option, environment).ifPresent(options::add);
            }
        }
        options.addAll(typed);
        var job = new ArrayList<Given<SbatchOption>>();
        var step = new ArrayList<String>();
        var own = new EnumMap<Setting, String>(Setting.class);
        for (Given<SrunOption> given : options) {
            String name = "--" + given.option().longName();
            switch (given.option().meaning()) {
                case Meaning.OfJob ofJob -> job.add(new Given<>(ofJob.option(), given.value()));
                case Meaning.OfStep _ ->
                        step.add(given.value() == null ? name : name + "=" + given.value());
                case Meaning.Own it ->
                        own.put(it.setting(), given.value() == null ? "" : given.value());
                case Meaning.Ignored _ -> {}
                case Meaning.Refused it ->
                        throw InvalidOption.refused(name + " is not supported yet" + it.instead());
            }
        }
        if (step.contains(OVERCOMMIT)) {
            job.stream()
                    .filter(SrunCommandLine::isTasks)
                    .reduce((_, last) -> last)
                    .ifPresent(it -> step.add("--ntasks=" + it.value()));
            job.removeIf(it -> isTasks(it) || TASKS_OF.contains(it.option().longName()));
        }
        return new SrunCommandLine(new GetOpt<>(List.copyOf(job), List.of()), step, own, command);
    }

    /// A number of tasks; what is none is left to the job to refuse.
    private static boolean isTasks(Given<SbatchOption> given) {
        return given.option().longName().equals("ntasks")
                && Counts.plain(String.valueOf(given.value())).isPresent();
    }

    /// Whether it is the same, or says another way how much memory there is to be.
    private static boolean outranks(SrunOption typed, SrunOption other) {
        return typed.equals(other)
                || (MEMORY.contains(typed.longName()) && MEMORY.contains(other.longName()));
    }

    private static Optional<Given<SrunOption>> given(
            SrunOption option, Map<String, String> environment) {
        String value =
                option.variables().stream()
                        .map(it -> environment.getOrDefault(it, ""))
                        .filter(it -> !it.isEmpty())
                        .findFirst()
                        .orElse("");
        if (option.argument() == Argument.REQUIRED) {
            return Optional.of(new Given<>(option, value)).filter(_ -> !value.isEmpty());
        }
        // A flag, or what may stand without a value, which is on or off.
        boolean off = value.isEmpty() || value.matches("(?i)0|no|false");
        boolean bare = option.argument() == Argument.NONE || value.matches("(?i)1|yes|true");
        return off ? Optional.empty() : Optional.of(new Given<>(option, bare ? null : value));
    }

    public boolean has(Setting setting) {
        return own.containsKey(setting);
    }

    /// Its value, "" if it was given none; null if it was not given.
    public @Nullable String value(Setting setting) {
        return own.get(setting);
    }

    /// For how many seconds the job may wait at most (`--immediate`); 0 for as long as it takes.
    public int immediateSeconds() throws InvalidOption {
        String value = own.get(Setting.IMMEDIATE);
        if (value == null || value.isEmpty()) {
            return value == null ? 0 : 1;
        }
        OptionalLong seconds = Counts.plain(value);
        if (seconds.isEmpty() || seconds.getAsLong() < 1 || seconds.getAsLong() > 1 << 20) {
            throw InvalidOption.refused("invalid number of seconds: --immediate=" + value);
        }
        return (int) seconds.getAsLong();
    }
}
