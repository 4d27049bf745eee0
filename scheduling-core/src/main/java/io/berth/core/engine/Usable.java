package io.berth.core.engine;

import java.util.ArrayList;
import java.util.List;

/// The nodes that a gang may have at some time.
final class Usable {

    /// @param large whether it can hold a part of the larger size
    record Candidate(Node node, Demand demand, boolean large) {}

    final FitClass fit;
    final List<Candidate> candidates = new ArrayList<>();
    private int largeEnough;
    private int among;

    Usable(FitClass fit) {
        this.fit = fit;
    }

    void add(Node node, Demand demand, boolean large) {
        candidates.add(new Candidate(node, demand, large));
        largeEnough += large ? 1 : 0;
        among += fit.layout.among().get(node.index) ? 1 : 0;
    }

    boolean enough() {
        return largeEnough >= fit.large
                && candidates.size() >= fit.parts()
                && among == fit.layout.among().cardinality();
    }
}
