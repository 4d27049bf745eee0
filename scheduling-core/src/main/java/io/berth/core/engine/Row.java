package io.berth.core.engine;

import io.berth.core.engine.Usable.Candidate;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Chooses a gang's nodes so that they stand in a row with no other node between them.
///
/// *Goals*, ranked: the fewest leaf switches; the stretch of usable neighbours that is left with
/// the fewest; the first in the row. *Constraints*: the nodes that must be among them are; no more
/// leaf switches than the class allows, or one domain of the level that it names.
///
/// *Method*: every window of as many neighbours as the gang has parts is looked at, by sums over
/// the row.
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
        int[] among = sums(index -> usable.must(row.get(index)));
        int[][] holding = new int[fit.upTo.length][];
        Arrays.setAll(holding, size -> sums(index -> row.get(index).size() <= size));
        int[] switches = domains(Network.LEAVES, parts);
        int[] bound = fit.maxSwitches == 0 ? switches : domains(fit.level, parts);
        List<Candidate> best = null;
        long fewest = Long.MAX_VALUE;
        for (int first = 0, end = parts; end <= row.size(); first++, end++) {
            boolean good =
                    place(end - 1) - place(first) == parts - 1
                            && among[end] - among[first] == fit.layout.among().cardinality()
                            && enough(holding, first, end)
                            && (fit.maxSwitches == 0 || bound[first] <= fit.maxSwitches);
            long cost = (long) switches[first] << Integer.SIZE | stretches[first];
            if (good && cost < fewest && choosable(row.subList(first, end))) {
                best = row.subList(first, end);
                fewest = cost;
            }
        }
        return best;
    }

    /// @param holding by size, the sums of those that hold such a part
    private boolean enough(int[][] holding, int first, int end) {
        return IntStream.range(0, holding.length)
                .allMatch(it -> holding[it][end] - holding[it][first] >= fit.upTo[it]);
    }

    private boolean choosable(List<Candidate> window) {
        return usable.choice == null || Slots.fill(usable.choice, fit.parts(), window);
    }

    /// By where a window of so many candidates begins, in how many domains of a level it is.
    private int[] domains(int level, int parts) {
        int[] domains = new int[row.size()];
        if (!network.binds(level)) {
            Arrays.fill(domains, 1);
            return domains;
        }
        int[] within = new int[network.domains(level) + 1];
        int some = 0;
        for (int end = 1; end <= row.size(); end++) {
            some += within[domain(level, end - 1)]++ == 0 ? 1 : 0;
            if (end > parts) {
                some -= --within[domain(level, end - parts - 1)] == 0 ? 1 : 0;
            }
            if (end >= parts) {
                domains[end - parts] = some;
            }
        }
        return domains;
    }

    /// Numbered from 1; 0 is none.
    private int domain(int level, int index) {
        return network.domain(level, node(index)) + 1;
    }

    private int node(int index) {
        return row.get(index).node().index;
    }

    private int place(int index) {
        return network.place(node(index));
    }

    /// By place among the candidates, for how many before it something is so.
    private int[] sums(IntPredicate so) {
        int[] sums = new int[row.size() + 1];
        for (int index = 0; index < row.size(); index++) {
            sums[index + 1] = sums[index] + (so.test(index) ? 1 : 0);
        }
        return sums;
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
