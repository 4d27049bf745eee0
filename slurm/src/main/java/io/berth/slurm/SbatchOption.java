package io.berth.slurm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One option of `sbatch` and what Berth makes of it. All that Slurm 22.05 knows stand in [#TABLE],
/// so that none is ever ignored by oversight.
///
/// @param variable the environment variable that gives it too; null if there is none
public record SbatchOption(
        String longName,
        char letter,
        Argument argument,
        @Nullable String variable,
        Treatment treatment)
        implements OptionName {

    /// What happens to a job that asks for an option.
    public sealed interface Treatment {

        /// It means what it means to Slurm.
        record Same(SbatchSetting setting) implements Treatment {}

        /// It is understood, with a difference.
        record Different(SbatchSetting setting, String how) implements Treatment {}

        /// It is accepted and has no effect, which changes nothing of what runs.
        record Ignored(String why) implements Treatment {}

        /// The job is refused, in one line that names the option.
        ///
        /// @param instead why, and what to do; empty if there is nothing to say
        record Refused(String instead) implements Treatment {}
    }

    /// Every option, by long name.
    public static final List<SbatchOption> TABLE = SbatchOptionTable.rows();

    /// `-N, --nodes`, or `--gres` for an option without a letter.
    public String names() {
        return (letter == 0 ? "" : "-" + letter + ", ") + "--" + longName;
    }
}
