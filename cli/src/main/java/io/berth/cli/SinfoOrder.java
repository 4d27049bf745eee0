package io.berth.cli;

import io.berth.cli.NodeField.Line;
import io.berth.slurm.HostList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The order of `sinfo -S`: letters of fields, each with `-` before it for falling; `#P` is the
/// order in which the partitions are configured. Lines that are equal stay as they stood.
///
/// Source: sinfo(1), option `--sort`.
final class SinfoOrder {

    private record Key(NodeField field, boolean falling, boolean configured) {}

    private SinfoOrder() {}

    /// @param partitions as they are configured
    /// @throws CommandFailure if there is no such field
    static Comparator<Line> of(String keys, List<PartitionView> partitions) throws CommandFailure {
        var all = new ArrayList<Key>();
        for (String text : CliOption.split(keys)) {
            boolean falling = text.startsWith("-");
            String name = falling || text.startsWith("+") ? text.substring(1) : text;
            boolean configured = name.startsWith("#");
            String letter = configured ? name.substring(1) : name;
            NodeField field = letter.length() == 1 ? NodeField.of(letter.charAt(0)) : null;
            if (field == null || (configured && field != NodeField.PARTITION)) {
                throw CommandFailure.error("sinfo", "Invalid sort specification: " + keys);
            }
            all.add(new Key(field, falling, configured));
        }
        Comparator<Line> order = (_, _) -> 0;
        for (Key key : all) {
            Comparator<Line> next =
                    key.configured()
                            ? Comparator.comparingInt(line -> partitions.indexOf(line.partition()))
                            : (one, other) -> compare(key.field(), one, other);
            order = order.thenComparing(key.falling() ? next.reversed() : next);
        }
        return order;
    }

    private static int compare(NodeField field, Line one, Line other) {
        if (field == NodeField.STATE || field == NodeField.STATE_FULL) {
            return Integer.compare(rank(other), rank(one));
        }
        String a = field.value(one);
        String b = field.value(other);
        return HostList.ORDER.compare(a, b);
    }

    /// Where the line stands in a listing, by the state of its nodes; without nodes at the end.
    private static int rank(Line line) {
        return line.nodes().isEmpty() ? Integer.MAX_VALUE : line.nodes().getFirst().state().rank();
    }
}
