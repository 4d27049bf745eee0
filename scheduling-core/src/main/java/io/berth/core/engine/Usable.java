package io.berth.core.engine;

import io.berth.core.engine.FitClass.Choice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The nodes that a gang may have at some time.
final class Usable {

    /// @param size the largest of the class's that it can hold a part of
    record Candidate(Node node, Demand demand, int size) {}

    final FitClass fit;

    /// The nodes of which all of the gang's are; null where they are not chosen yet, or there is no
    /// choice.
    final @Nullable Choice choice;

    final List<Candidate> candidates = new ArrayList<>();

    /// By size, how many candidates hold no larger one.
    private final int[] holding;

    private int among;

    Usable(FitClass fit) {
        this(fit, null);
    }

    private Usable(FitClass fit, @Nullable Choice choice) {
        this.fit = fit;
        this.choice = choice;
        this.holding = new int[fit.upTo.length];
    }

    void add(Node node, Demand demand, int size) {
        add(new Candidate(node, demand, size));
    }

    private void add(Candidate candidate) {
        candidates.add(candidate);
        holding[candidate.size()]++;
        among += must(candidate) ? 1 : 0;
    }

    /// Whether the gang must have a node.
    boolean must(Candidate candidate) {
        return fit.layout.among().get(candidate.node().index);
    }

    /// Whether so many nodes must be of each of some groups.
    boolean counts() {
        return choice != null && !choice.counts().isEmpty();
    }

    /// Whether its nodes go before those of a lower weight.
    boolean preferred() {
        return choice != null && choice.preferred();
    }

    boolean enough() {
        return fit.enough(holding)
                && among == fit.layout.among().cardinality()
                && (choice == null || Slots.fill(choice, fit.parts(), candidates));
    }

    /// The candidates by weight, those that the gang must have before all.
    Collection<List<Candidate>> byWeight() {
        var byWeight = new TreeMap<Integer, List<Candidate>>();
        int last = Integer.MIN_VALUE;
        List<Candidate> its = new ArrayList<>();
        for (Candidate it : candidates) {
            int weight = must(it) ? Integer.MIN_VALUE : it.node().kind.weight;
            if (weight != last || byWeight.isEmpty()) {
                last = weight;
                its = byWeight.computeIfAbsent(weight, _ -> new ArrayList<>());
            }
            its.add(it);
        }
        return byWeight.values();
    }

    /// Adds those of some candidates that it may have; false if there are none.
    boolean addAll(List<Candidate> more) {
        int before = candidates.size();
        for (Candidate it : more) {
            if (choice == null || choice.nodes().get(it.node().index)) {
                add(it);
            }
        }
        return candidates.size() > before;
    }

    /// The same without candidates.
    Usable cleared() {
        return new Usable(fit, choice);
    }

    /// The same for each choice that the gang has, in its order; this alone if there is none.
    List<Usable> choices() {
        List<Choice> choices = fit.layout.choices();
        return choices.isEmpty()
                ? List.of(this)
                : choices.stream()
                        .map(its -> {
                            var some = new Usable(fit, its);
                            some.addAll(candidates);
                            return some;
                        })
                        .toList();
    }
}
