package io.berth.core.engine;

/// How tightly a part of a job fits a node: the less, the better.
record Tightness(NodeScore policy) {

    /// The lane of the shared GPU that it takes a part of; [Search#WHOLE] for none.
    static int lane(Node node, Demand demand) {
        return node.kind.shares(demand) ? demand.lane() : Search.WHOLE;
    }

    /// The policy's score; of a part of a shared GPU what it leaves of that, in thousandths, then
    /// of CPUs and memory.
    long of(Node node, Demand demand) {
        if (!node.kind.shares(demand)) {
            return policy.score(node.freeWhole(), demand, node.index);
        }
        long left = node.free[2 + demand.lane()] - demand.gpus();
        long thousandths = 1000 * left / node.kind.slot(demand.lane());
        long[] rest = {node.free[0], node.free[1], thousandths};
        return NodeScore.BEST_FIT.score(
                rest, new Demand(demand.cpus(), demand.memoryMib(), 0, -1), node.index);
    }
}
