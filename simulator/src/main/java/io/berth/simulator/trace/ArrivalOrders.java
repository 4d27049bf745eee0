package io.berth.simulator.trace;

import io.berth.simulator.trace.Table.BadField;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Orders in which the jobs of a list arrive, by seed.
///
/// @param bySeed places in the list of jobs sorted by id as text; a place may come again, as a copy
public record ArrivalOrders(SortedMap<Integer, int[]> bySeed) {

    /// Reads the columns `seed,order`; an order is places with spaces between.
    ///
    /// @param jobs how many the list has
    /// @throws BadTrace if the file cannot be read or has a bad line
    public static ArrivalOrders read(Path file, int jobs) throws BadTrace {
        var bySeed = new TreeMap<Integer, int[]>();
        Table.read(
                file,
                List.of("seed", "order"),
                BadLines.refused(),
                row ->
                        bySeed.put(
                                (int) row.number("seed", 0, Integer.MAX_VALUE),
                                places(row.text("order"), jobs)));
        return new ArrivalOrders(bySeed);
    }

    private static int[] places(String order, int jobs) throws BadField {
        String[] words = order.split(" ", -1);
        var places = new int[words.length];
        for (int i = 0; i < words.length; i++) {
            try {
                places[i] = Integer.parseInt(words[i]);
            } catch (NumberFormatException e) {
                throw new BadField("order has '" + words[i] + "', not a place");
            }
            if (places[i] < 0 || places[i] >= jobs) {
                throw new BadField(
                        "order has place " + places[i] + " of a list of " + jobs + " jobs");
            }
        }
        return places;
    }
}
