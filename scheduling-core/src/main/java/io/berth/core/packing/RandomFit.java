package io.berth.core.packing;

/// Takes any node with room, the same ones for the same seed.
final class RandomFit implements PackingPolicy {

    private final long seed;
    private int arrivals;
    private long time;

    RandomFit(long seed) {
        this.seed = seed;
    }

    @Override
    public long cost(FreeNode node, Shape shape, long gpus) {
        long draw = Draws.mix(seed + Draws.mix(time + arrivals));
        return Draws.mix(draw + Draws.mix(node.number + 31L * node.cpus)) >>> 1;
    }

    @Override
    public void at(long moment) {
        time = moment;
    }

    @Override
    public void arrived(Shape shape) {
        arrivals++;
    }

    @Override
    public int version() {
        return arrivals;
    }
}
