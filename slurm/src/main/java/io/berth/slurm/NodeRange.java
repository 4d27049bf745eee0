package io.berth.slurm;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// How many nodes `--nodes` asks for.
///
/// @param least null if it does not say
/// @param most null if it is the same
record NodeRange(@Nullable Integer least, @Nullable Integer most) {

    static final NodeRange OPEN = new NodeRange(null, null);

    static NodeRange parse(String text) throws InvalidOption {
        int dash = text.indexOf('-');
        OptionalLong least = Counts.withUnit(dash < 0 ? text : text.substring(0, dash));
        OptionalLong most = dash < 0 ? least : Counts.withUnit(text.substring(dash + 1));
        if (least.isEmpty()
                || most.isEmpty()
                || least.getAsLong() < 1
                || most.getAsLong() > Integer.MAX_VALUE) {
            throw InvalidOption.malformed("\"" + text + "\" is not a valid node count");
        }
        if (most.getAsLong() < least.getAsLong()) {
            throw InvalidOption.malformed(
                    "Maximum node count "
                            + most.getAsLong()
                            + " is less than minimum node count "
                            + least.getAsLong());
        }
        boolean range = most.getAsLong() > least.getAsLong();
        return new NodeRange((int) least.getAsLong(), range ? (int) most.getAsLong() : null);
    }
}
