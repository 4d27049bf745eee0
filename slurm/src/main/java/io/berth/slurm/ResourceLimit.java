package io.berth.slurm;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A limit of processes (`ulimit`) that a job may have from the shell that submits it. As in Slurm
/// its soft value stands in a variable, such as `SLURM_RLIMIT_NOFILE`, which the job does not see.
///
/// Source: sbatch(1), "--propagate"; getrlimit(2); proc(5).
public enum ResourceLimit {
    CPU("cpu time", 't', 1),
    FSIZE("file size", 'f', 512),
    DATA("data size", 'd', 1024),
    STACK("stack size", 's', 1024),
    CORE("core file size", 'c', 512),
    RSS("resident set", 'm', 1024),
    NPROC("processes", 'u', 1),
    NOFILE("open files", 'n', 1),
    MEMLOCK("locked memory", 'l', 1024),
    AS("address space", 'v', 1024);

    private static final String PREFIX = "SLURM_RLIMIT_";

    /// As the kernel's number has it.
    private static final String INFINITY = "18446744073709551615";

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
    private static final Pattern LINE = Pattern.compile("Max (.+?) {2,}(\\S+) +\\S+.*");

    private final String title;
    private final char letter;
    private final long unit;

    /// @param title in /proc/PID/limits
    /// @param letter of `ulimit`
    /// @param unit of the number that `ulimit` takes, by POSIX
    ResourceLimit(String title, char letter, long unit) {
        this.title = title;
        this.letter = letter;
        this.unit = unit;
    }

    private String variable() {
        return PREFIX + name();
    }

    /// Whether the variable says a limit.
    public static boolean is(String variable) {
        return variable.startsWith(PREFIX);
    }

    /// The variables of a process' soft limits.
    ///
    /// @param lines of its /proc/PID/limits
    public static Map<String, String> variables(List<String> lines) {
        var variables = new TreeMap<String, String>();
        for (String line : lines) {
            Matcher matcher = LINE.matcher(line);
            for (ResourceLimit limit : matcher.matches() ? values() : new ResourceLimit[0]) {
                if (limit.title.equals(matcher.group(1))) {
                    String soft = matcher.group(2);
                    variables.put(limit.variable(), soft.equals("unlimited") ? INFINITY : soft);
                }
            }
        }
        return variables;
    }

    /// The limits of a list such as `NOFILE,CORE`; `ALL` or nothing is all, `NONE` none.
    ///
    /// @throws InvalidOption if it names another one
    static Set<ResourceLimit> parse(String list) throws InvalidOption {
        String upper = list.toUpperCase(Locale.ROOT);
        if (upper.isEmpty() || upper.equals("ALL")) {
            return EnumSet.allOf(ResourceLimit.class);
        }
        Set<ResourceLimit> limits = EnumSet.noneOf(ResourceLimit.class);
        if (upper.equals("NONE")) {
            return limits;
        }
        for (String word : upper.split(",", -1)) {
            try {
                limits.add(valueOf(word.startsWith("RLIMIT_") ? word.substring(7) : word));
            } catch (IllegalArgumentException e) {
                throw InvalidOption.malformed("--propagate=" + list + " is not valid.");
            }
        }
        return limits;
    }

    /// Takes the variables of all others out of an environment.
    static void keep(Set<ResourceLimit> limits, Map<String, String> environment) {
        environment
                .keySet()
                .removeIf(name ->
                        is(name) && limits.stream().noneMatch(it -> it.variable().equals(name)));
    }

    /// The shell text that sets the soft limits which the variables say: where the hard one is
    /// lower, that.
    public static String text(Map<String, String> environment) {
        var text = new StringBuilder();
        for (ResourceLimit limit : values()) {
            String value = environment.getOrDefault(limit.variable(), "");
            if (value.equals(INFINITY)) {
                text.append(limit.set("unlimited"));
            } else if (NUMBER.matcher(value).matches()) {
                text.append(limit.set(Long.toString(Long.parseLong(value) / limit.unit)));
            }
        }
        return text.toString();
    }

    private String set(String value) {
        // The number of processes is -u for bash, and -p for dash, to which -u is an error.
        return this == NPROC
                ? "{ ulimit -S -u %1$s || ulimit -S -p %1$s; } 2>/dev/null || :\n".formatted(value)
                : "ulimit -S -%1$c %2$s 2>/dev/null || ulimit -S -%1$c \"$(ulimit -H -%1$c)\"\n"
                        .formatted(letter, value);
    }
}
