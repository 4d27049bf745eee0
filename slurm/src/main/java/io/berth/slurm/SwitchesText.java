package io.berth.slurm;

import io.berth.contracts.SwitchLimit;
import java.util.OptionalLong;

/// Reads what `--switches` says: `1`, or `1@10:00` with the longest wait for it.
public final class SwitchesText {

    private SwitchesText() {}

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
