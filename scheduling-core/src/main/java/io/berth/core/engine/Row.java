package io.berth.core.engine;

import io.berth.core.engine.Usable.Candidate;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Chooses a gang's nodes so that they stand in a row with no other node between them.
///
/// *Goals*, ranked: the fewest leaf switches; the stretch of usable neighbours that is left with
/// the fewest; the first in the row. *Constraints*: the nodes that must be among them are; no more
/// leaf switches than the class allows.
///
/// *Method*: every window of as many neighbours as the gang has parts is looked at.
///
/// Source: sbatch(1), `--contiguous`. Slurm does not heed it beside a topology; here both hold.
final class Row {

    private final Network network;
    private final Usable usable;
    private final FitClass fit;
    private final List<Candidate> row;

    Row(Network network, Usable usable) {
        this.network = network;
        this.usable = usable;
        this.fit = usable.fit;
        this.row =
                usable.candidates.stream()
                        .sorted(Comparator.comparingInt(it -> network.place(it.node().index)))
                        .toList();
    }

    /// The candidates that stand in the best row; null if there is none.
    @Nullable List<Candidate> choose() {
        int parts = fit.parts();
        int[] stretches = stretches();
        List<Candidate> best = null;
        long fewest = Long.MAX_VALUE;
        for (int first = 0; first + parts <= row.size(); first++) {
            List<Candidate> window = row.subList(first, first + parts);
            boolean gapless = place(first + parts - 1) - place(first) == parts - 1;
            if (gapless && holds(window)) {
                long switches = switches(window);
                long cost = switches << Integer.SIZE | stretches[first];
                if (cost < fewest && (fit.maxSwitches == 0 || switches <= fit.maxSwitches)) {
                    best = window;
                    fewest = cost;
                }
            }
        }
        return best;
    }

    private int place(int index) {
        return network.place(row.get(index).node().index);
    }

    private boolean holds(List<Candidate> window) {
        long among = window.stream().filter(usable::must).count();
        return among == fit.layout.among().cardinality()
                && window.stream().filter(Candidate::large).count() >= fit.large
                && (usable.choice == null || Slots.fill(usable.choice, fit.parts(), window));
    }

    private long switches(List<Candidate> window) {
        return network.levels() == 0
                ? 1
                : window.stream().map(it -> network.domain(0, it.node().index)).distinct().count();
    }

    /// By place among the candidates, how many neighbours stand there without a gap.
    private int[] stretches() {
        int[] stretches = new int[row.size()];
        for (int first = 0, last; first < stretches.length; first = last) {
            last = first + 1;
            while (last < stretches.length && place(last) - place(last - 1) == 1) {
                last++;
            }
            Arrays.fill(stretches, first, last, last - first);
        }
        return stretches;
    }
}
