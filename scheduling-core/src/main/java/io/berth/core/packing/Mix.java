package io.berth.core.packing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The shapes with GPUs that arrived so far, and how often each did, in the order of their first
/// arrival. What is read of it is the picture taken at the last refresh: at the first arrival, then
/// after 100 and whenever the number has grown by three tenths.
final class Mix {

    private static final int FIRST_REFRESH = 100;

    private final Map<Shape, int[]> counts = new LinkedHashMap<>();
    private int seen;
    private int next;
    private int version;
    private List<Shape> shapes = List.of();
    private int[] weights = {};
    private int sum;

    /// All of these, and the picture of them.
    static Mix of(List<Shape> arrivals) {
        var mix = new Mix();
        mix.next = Integer.MAX_VALUE;
        arrivals.forEach(mix::add);
        mix.refresh();
        return mix;
    }

    /// Counts an arrival.
    ///
    /// @return whether the picture was taken anew
    boolean add(Shape shape) {
        seen++;
        if (shape.gpus() > 0) {
            counts.computeIfAbsent(shape, _ -> new int[1])[0]++;
        }
        if (seen < next) {
            return false;
        }
        refresh();
        return true;
    }

    private void refresh() {
        next = Math.max(FIRST_REFRESH, Math.addExact(seen, seen / 10 * 3));
        version++;
        shapes = new ArrayList<>(counts.keySet());
        weights = counts.values().stream().mapToInt(count -> count[0]).toArray();
        sum = 0;
        for (int weight : weights) {
            sum += weight;
        }
    }

    /// Grows with each refresh.
    int version() {
        return version;
    }

    List<Shape> shapes() {
        return shapes;
    }

    /// How often the shape at that place had arrived.
    int weight(int place) {
        return weights[place];
    }

    /// The sum of all weights.
    int sum() {
        return sum;
    }

    /// The shape that the arrival of that number was, were all arrivals sorted by shape.
    ///
    /// @param number in 0..sum-1
    Shape shape(int number) {
        int rest = number;
        int place = 0;
        while (rest >= weights[place]) {
            rest -= weights[place];
            place++;
        }
        return shapes.get(place);
    }
}
