package io.berth.agent.launch;

import io.berth.agent.launch.StepUse.StepUses;
import io.berth.contracts.Allocation;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Step;
import io.berth.contracts.Steps;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What `srun` noted of a run's steps, in the folder that belongs to the run's user: it is read as
/// what anybody may have written there. A line that is none is passed over, a number is brought
/// within what the run had, and no more than the first [#MOST] steps are told one by one.
///
/// ```
/// begin <number> <epoch millis> <tasks> <CPUs> <GPUs> <name>
/// end <number> <epoch millis> <exit status> <user time> <system time>
/// tasks <number> <what its tasks used one by one>
/// ```
///
/// The times are those of the shell's `times`, such as `0m1.250s`; for the tasks see [TasksUsed].
public final class StepLog {

    /// How many steps of a run are told.
    public static final int MOST = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(StepLog.class);
    private static final int MOST_BYTES = 1 << 20;

    /// Where a step's begin stands while it begins, however many begin with it.
    private static final int LAST_BYTES = 1 << 16;

    private static final int LONGEST_NAME = 64;

    /// A shell says by such a status that a signal ended the program.
    private static final int SIGNALLED = 128;

    private static final int SIGNALS = 64;

    private static final String TIME = "([0-9]{1,9})m([0-9]{1,2})[.,]([0-9]{3})[0-9]*s";
    private static final Pattern BEGIN =
            Pattern.compile(
                    "begin ([0-9]{1,3}) ([0-9]{1,15}) ([0-9]{1,6}) ([0-9]{1,6}) ([0-9]{1,6}) (.*)");
    private static final Pattern END =
            Pattern.compile(
                    "end ([0-9]{1,3}) ([0-9]{1,15}) ([0-9]{1,3}) %s %s".formatted(TIME, TIME));
    private static final Pattern TASKS = Pattern.compile("tasks ([0-9]{1,3}) (.*)");
    private static final Pattern COUNT = Pattern.compile("([0-9]{1,9})\\R?");

    /// The time of the run on the node's clock.
    private record Span(long from, long to) {

        long within(String millis) {
            return Math.clamp(Long.parseLong(millis), from, to);
        }
    }

    private final Allocation here;
    private final Span span;
    private final TreeMap<Integer, Step> steps = new TreeMap<>();
    private final Map<Integer, String> tasks = new HashMap<>();

    private StepLog(Allocation here, Span span) {
        this.here = here;
        this.span = span;
    }

    /// The steps of a run that is over; null if there were none, or none can be read.
    ///
    /// @param begun the file that was written when the script began
    public static @Nullable Steps read(RunFiles files, String begun, Allocation here) {
        try {
            long to = files.writtenAt("exit").orElseGet(System::currentTimeMillis);
            long from = Math.min(to, files.writtenAt(begun).orElse(to));
            var log = new StepLog(here, new Span(from, to));
            log.take(files.job().text("steps/log", MOST_BYTES).lines());
            Matcher count = COUNT.matcher(files.job().text("steps/next", LONGEST_NAME));
            files.kept(StepUses.NAME, StepUses.class).ifPresent(log::count);
            int all = count.matches() ? Integer.parseInt(count.group(1)) : 0;
            int more = Math.max(0, all - log.steps.size());
            return log.steps.isEmpty() && more == 0
                    ? null
                    : new Steps(List.copyOf(log.steps.values()), more);
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", files.run()).log("Steps not read");
            return null;
        }
    }

    /// What `srun` noted as the name of a step that begins; null if that cannot be read, and of
    /// those after the first [#MOST], of which it notes nothing.
    public static @Nullable String name(RunFiles files, int number) {
        if (number >= MOST) {
            return null;
        }
        try {
            return files.job()
                    .end("steps/log", LAST_BYTES)
                    .lines()
                    .filter(it -> it.startsWith("begin " + number + " "))
                    .map(BEGIN::matcher)
                    .filter(Matcher::matches)
                    .map(it -> name(it.group(6)))
                    .findFirst()
                    .orElse(null);
        } catch (IOException e) {
            LOG.atDebug().setCause(e).addKeyValue("run", files.run()).log("Steps not read");
            return null;
        }
    }

    private void take(Stream<String> lines) {
        Map<Integer, Matcher> ends = new HashMap<>();
        lines.forEach(line -> {
            Matcher begin = BEGIN.matcher(line);
            Matcher end = END.matcher(line);
            Matcher used = TASKS.matcher(line);
            if (begin.matches()) {
                steps.putIfAbsent(Integer.valueOf(begin.group(1)), begun(begin));
            } else if (end.matches()) {
                ends.putIfAbsent(Integer.valueOf(end.group(1)), end);
            } else if (used.matches()) {
                tasks.putIfAbsent(Integer.valueOf(used.group(1)), used.group(2));
            }
        });
        steps.replaceAll((number, step) -> {
            Matcher end = ends.get(number);
            return end == null ? step : ended(step, end);
        });
    }

    /// A step that has no group has no count that its tasks could be brought within: they are not
    /// told.
    private void count(StepUses uses) {
        for (StepUse use : uses.each()) {
            steps.computeIfPresent(
                    use.number(),
                    (number, step) ->
                            step.counted(
                                    use.cpuMillis(),
                                    use.maxMemoryMib(),
                                    use.outOfMemory(),
                                    use.each() == null
                                            ? TasksUsed.read(tasks.get(number), step, use)
                                            : use.each()));
        }
    }

    private Step begun(Matcher line) {
        return new Step(
                Integer.parseInt(line.group(1)),
                name(line.group(6)),
                Integer.parseInt(line.group(3)),
                Math.min(Integer.parseInt(line.group(4)), here.cpus().size()),
                Math.min(Integer.parseInt(line.group(5)), here.gpus().size()),
                span.within(line.group(2)),
                span.to(),
                null,
                null);
    }

    private Step ended(Step step, Matcher line) {
        return new Step(
                step.number(),
                step.name(),
                step.tasks(),
                step.cpus(),
                step.gpus(),
                step.beganAt(),
                Math.max(step.beganAt(), span.within(line.group(2))),
                exit(Integer.parseInt(line.group(3))),
                millis(line, 4) + millis(line, 7));
    }

    private static ExitStatus exit(int status) {
        int signal = status - SIGNALLED;
        return signal > 0 && signal <= SIGNALS
                ? new ExitStatus(0, signal)
                : new ExitStatus(status, 0);
    }

    private static long millis(Matcher line, int first) {
        return Long.parseLong(line.group(first)) * 60_000
                + Long.parseLong(line.group(first + 1)) * 1000
                + Long.parseLong(line.group(first + 2));
    }

    /// The name with `?` for what a terminal would not show as a character.
    private static String name(String text) {
        return text.codePoints()
                .limit(LONGEST_NAME)
                .map(it -> shown(it) ? it : '?')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean shown(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            default -> true;
        };
    }
}
