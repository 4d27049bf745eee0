package io.berth.slurm;

import io.berth.contracts.SwitchLimit;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads what `--switches` says: `1`, or `1@10:00` with the longest wait for it; and `--topology`:
/// `rack`, `rack@10:00`, or `prefer:rack`.
public final class SwitchesText {

    private static final Pattern LEVEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

    private SwitchesText() {}

    private static final String PREFER = "prefer:";

    /// The one domain of a level that a job's nodes lie in.
    ///
    /// @param text a level, which the job waits for; with a time, which is above 0, it waits no
    ///   longer; one that it prefers it does not wait for
    /// @throws InvalidOption if the text is none
    public static SwitchLimit within(String text) throws InvalidOption {
        boolean prefers = text.startsWith(PREFER);
        String rest = prefers ? text.substring(PREFER.length()) : text;
        int at = rest.indexOf('@');
        String level = at < 0 ? rest : rest.substring(0, at);
        OptionalLong wait =
                at < 0 ? OptionalLong.empty() : SlurmTime.parseLimit(rest.substring(at + 1));
        if (!LEVEL.matcher(level).matches()
                || (at >= 0 && (prefers || wait.isEmpty() || wait.getAsLong() == 0))) {
            throw InvalidOption.refused(
                    "Invalid --topology specification \""
                            + text
                            + "\": a level such as rack, rack@10:00 or prefer:rack");
        }
        return SwitchLimit.within(
                level, prefers ? (Long) 0L : wait.isPresent() ? (Long) wait.getAsLong() : null);
    }

    /// What [#within] reads.
    public static String within(String level, @Nullable Long maxWaitSeconds) {
        return maxWaitSeconds == null
                ? level
                : maxWaitSeconds == 0
                        ? PREFER + level
                        : level + "@" + SlurmTime.full(maxWaitSeconds);
    }

    /// @throws InvalidOption if the text is none
    public static SwitchLimit parse(String text) throws InvalidOption {
        int at = text.indexOf('@');
        OptionalLong count = Counts.plain(at < 0 ? text : text.substring(0, at));
        OptionalLong wait =
                at < 0 ? OptionalLong.empty() : SlurmTime.parseLimit(text.substring(at + 1));
        if (count.isEmpty()
                || count.getAsLong() < 1
                || count.getAsLong() > Integer.MAX_VALUE
                || (at >= 0 && wait.isEmpty())) {
            throw InvalidOption.refused("Invalid numeric value \"" + text + "\" for --switches.");
        }
        return new SwitchLimit(
                (int) count.getAsLong(),
                wait.isPresent() && wait.getAsLong() > 0 ? wait.getAsLong() : null);
    }
}
