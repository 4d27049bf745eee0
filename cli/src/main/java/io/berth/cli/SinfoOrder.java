package io.berth.cli;

import io.berth.cli.NodeField.Line;
import io.berth.slurm.HostList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

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
        return switch (field) {
            case STATE, STATE_FULL -> Integer.compare(rank(other), rank(one));
            case TIME_LIMIT -> limits(one, other, "maxTimeSeconds");
            case DEFAULT_TIME -> limits(one, other, "defaultTimeSeconds");
            case ALLOCATED_IDLE, CPU_LOAD, CPUS_BY_STATE, NODES_BY_STATE, SHAPE ->
                    Arrays.compare(numbers(field.value(one)), numbers(field.value(other)));
            default -> HostList.ORDER.compare(field.value(one), field.value(other));
        };
    }

    /// By a limit of the partitions; 0 is none, and the highest.
    private static int limits(Line one, Line other, String name) {
        return Long.compareUnsigned(
                one.partition().number(name) - 1, other.partition().number(name) - 1);
    }

    /// The numbers in `3/1/0/4`, `2:64:1` and `7.69`, which always has two digits behind the point;
    /// a line without nodes is above all others.
    private static long[] numbers(String value) {
        return value.equals("n/a")
                ? new long[] {Long.MAX_VALUE}
                : Pattern.compile("[/:.]")
                        .splitAsStream(value)
                        .mapToLong(Long::parseLong)
                        .toArray();
    }

    /// Where the line stands in a listing, by the state of its nodes; without nodes at the end.
    private static int rank(Line line) {
        return line.nodes().isEmpty() ? Integer.MAX_VALUE : line.nodes().getFirst().state().rank();
    }
}
