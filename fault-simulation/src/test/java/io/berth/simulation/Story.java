package io.berth.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/// What happens in a simulated mesh: a list of numbers, each of which chooses one step.
final class Story {

    private Story() {}

    /// The story of a seed.
    static List<Long> of(long seed, int steps) {
        return new Random(seed).longs(steps).boxed().toList();
    }

    /// A story that still fails and of which no step can be left out: parts of it are left out as
    /// long as it fails without them, large ones first.
    static List<Long> shortest(List<Long> story, Predicate<List<Long>> fails) {
        List<Long> shortest = story;
        for (int part = Math.max(1, story.size() / 2); part > 0; ) {
            boolean shorter = false;
            for (int from = 0; from < shortest.size(); ) {
                var without = new ArrayList<>(shortest.subList(0, from));
                without.addAll(
                        shortest.subList(Math.min(shortest.size(), from + part), shortest.size()));
                if (fails.test(without)) {
                    shortest = without;
                    shorter = true;
                } else {
                    from += part;
                }
            }
            part = shorter && part == 1 ? 1 : part / 2;
        }
        return shortest;
    }
}
