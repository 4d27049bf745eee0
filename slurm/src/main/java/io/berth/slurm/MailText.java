package io.berth.slurm;

import io.berth.contracts.MailType;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The text of `--mail-type`: `BEGIN,END`.
///
/// Source: sbatch(1) of Slurm 22.05. `ALL` is all but time limits and tasks of arrays.
public final class MailText {

    /// What Slurm knows and nothing happens for.
    private static final Set<String> NEVER = Set.of("NONE", "STAGE_OUT");

    private static final Set<String> NAMES =
            Stream.of(MailType.values()).map(MailType::name).collect(Collectors.toSet());

    private MailText() {}

    /// The types that the text names; empty if one is none of Slurm's.
    public static Optional<List<MailType>> parse(String text) {
        var types = EnumSet.noneOf(MailType.class);
        for (String word : text.toUpperCase(Locale.ROOT).split(",", -1)) {
            switch (word) {
                case "ALL" ->
                        types.addAll(
                                Set.of(
                                        MailType.BEGIN,
                                        MailType.END,
                                        MailType.FAIL,
                                        MailType.REQUEUE,
                                        MailType.INVALID_DEPEND));
                default -> {
                    if (NAMES.contains(word)) {
                        types.add(MailType.valueOf(word));
                    } else if (!NEVER.contains(word)) {
                        return Optional.empty();
                    }
                }
            }
        }
        return Optional.of(List.copyOf(types));
    }
}
