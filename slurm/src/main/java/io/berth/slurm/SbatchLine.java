package io.berth.slurm;

import io.berth.slurm.GetOpt.Given;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The words after `sbatch`, taken apart.
///
/// @param components the options of each component, which `:` parts; of most jobs one
/// @param operands the script and its arguments
public record SbatchLine(List<List<Given<SbatchOption>>> components, List<String> operands) {

    public SbatchLine {
        components = components.stream().map(List::copyOf).toList();
        operands = List.copyOf(operands);
    }

    /// The options of a job of one component, whose script is known.
    public static SbatchLine of(List<Given<SbatchOption>> options) {
        return new SbatchLine(List.of(options), List.of());
    }

    /// The options of all components.
    public List<Given<SbatchOption>> options() {
        return components.stream().flatMap(List::stream).toList();
    }

    /// The value of the last option that gives this setting, "" if the option has none; null if it
    /// is not given.
    public @Nullable String given(SbatchSetting setting) {
        String value = null;
        for (Given<SbatchOption> given : options()) {
            if (Sbatch.settingOf(given.option()) == setting) {
                value = given.value() == null ? "" : given.value();
            }
        }
        return value;
    }
}
