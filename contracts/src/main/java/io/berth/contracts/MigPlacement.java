package io.berth.contracts;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.stream.Collectors;

/// An instance of a GPU that is split by MIG, and where in it.
///
/// @param profile `1g.10gb`
/// @param start the first of its memory slices
/// @param slices how many it takes
public record MigPlacement(String profile, int start, int slices) {

    /// From the first slice on.
    public static final Comparator<MigPlacement> IN_PLACE =
            Comparator.comparingInt(MigPlacement::start).thenComparing(MigPlacement::profile);

    /// A geometry in words, the largest first: `1x4g.40gb+3x1g.10gb`; `nothing` if it is empty.
    public static String words(Collection<MigPlacement> geometry) {
        return geometry.isEmpty()
                ? "nothing"
                : geometry.stream()
                        .sorted(
                                Comparator.comparingInt(MigPlacement::slices)
                                        .thenComparing(MigPlacement::profile)
                                        .reversed())
                        .collect(
                                Collectors.groupingBy(
                                        MigPlacement::profile,
                                        LinkedHashMap::new,
                                        Collectors.counting()))
                        .entrySet()
                        .stream()
                        .map(it -> it.getValue() + "x" + it.getKey())
                        .collect(Collectors.joining("+"));
    }
}
