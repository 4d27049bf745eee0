package io.berth.core.packing;

/// Takes any node with room, the same ones for the same seed.
final class RandomFit implements PackingPolicy {

    private final Draws draws;
    private int arrivals;

    RandomFit(long seed) {
        this.draws = new Draws(seed);
    }

    @Override
    public long cost(FreeNode node, Shape shape) {
        return draws.below(Integer.MAX_VALUE);
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
