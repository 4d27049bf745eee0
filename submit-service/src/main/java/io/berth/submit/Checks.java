package io.berth.submit;

import io.berth.slurm.GpuSpec;
import io.berth.slurm.UserName;
import io.berth.submit.Refusal.InvalidOption;
import java.util.Collection;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The rules that every value of a request must keep before it means anything.
public final class Checks {
    static final int MAX_NAME = 256;
    static final int MAX_PATH = 4096;
    private static final int MAX_SHOWN = 60;
    private static final Pattern GPU_TYPE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private Checks() {}

    public static Refused invalid(String detail) {
        return new Refused(new InvalidOption(detail));
    }

    /// The text as it may be shown: short, on one line, in quotes.
    public static String quoted(String text) {
        String line =
                text.codePoints()
                        .map(c -> Character.isISOControl(c) ? '?' : c)
                        .limit(MAX_SHOWN + 1L)
                        .collect(
                                StringBuilder::new,
                                StringBuilder::appendCodePoint,
                                StringBuilder::append)
                        .toString();
        boolean longer = line.codePointCount(0, line.length()) > MAX_SHOWN;
        return "'"
                + (longer ? line.substring(0, line.offsetByCodePoints(0, MAX_SHOWN)) + "…" : line)
                + "'";
    }

    static String listed(Collection<String> names) {
        return names.isEmpty() ? "none" : String.join(", ", names);
    }

    static String user(String name) throws Refused {
        if (!UserName.isOne(name)) {
            throw invalid(
                    "user "
                            + quoted(name)
                            + " is not 1 to 64 letters, digits, '.', '_', '@' or '-'");
        }
        return name;
    }

    static String gpuType(String type) throws Refused {
        if (!GPU_TYPE.matcher(type).matches()) {
            throw invalid(
                    "GPU type "
                            + quoted(type)
                            + " is not 1 to 64 letters, digits, '.', '_' or '-'");
        }
        return type;
    }

    /// How many GPUs of each of several types: `a100:2,v100:1`.
    static Map<String, Integer> gpuTypes(String list) throws Refused {
        try {
            GpuSpec read = GpuSpec.ofList(list);
            if (read != null && read.types() != null) {
                return gpuTypes(read.types());
            }
        } catch (io.berth.slurm.InvalidOption e) {
            throw invalid(e.getMessage() + ": " + quoted(list));
        }
        throw invalid(
                "GPU types %s are not several with a count of each, such as a100:2,v100:1"
                        .formatted(quoted(list)));
    }

    static Map<String, Integer> gpuTypes(Map<String, Integer> types) throws Refused {
        for (String type : types.keySet()) {
            gpuType(type);
        }
        return types;
    }

    /// Whether a program can be given the text: no NUL, and no half of a surrogate pair.
    static boolean isText(String text) {
        return text.codePoints()
                .noneMatch(c ->
                        c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE));
    }

    /// A text on one line, with a bound on its length.
    static String line(String what, String text, int maxLength) throws Refused {
        if (text.isBlank() || text.length() > maxLength) {
            throw invalid(
                    what + " " + quoted(text) + " is not 1 to " + maxLength + " characters long");
        }
        if (!isText(text) || text.codePoints().anyMatch(Character::isISOControl)) {
            throw invalid(what + " " + quoted(text) + " holds control characters");
        }
        return text;
    }

    static @Nullable String pathOrNull(String what, @Nullable String path) throws Refused {
        return path == null ? null : line(what, path, MAX_PATH);
    }

    /// A number within bounds, or what it is if it is not given.
    public static long number(
            String what, @Nullable Number given, long least, long most, long otherwise)
            throws Refused {
        if (given == null) {
            return otherwise;
        }
        long value = given.longValue();
        if (value < least || value > most) {
            throw invalid(what + " is " + value + ", and may be " + least + " to " + most);
        }
        return value;
    }
}
