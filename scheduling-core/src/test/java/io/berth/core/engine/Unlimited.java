package io.berth.core.engine;

/// Lets all start and keeps nothing of what is decided.
class Unlimited implements Decisions {

    @Override
    public boolean admits(Waiting job) {
        return true;
    }

    @Override
    public void started(Waiting job, int[] nodes, int lane) {}

    @Override
    public void planned(Waiting job, long start, int[] nodes, long place) {}

    @Override
    public void unplanned(Waiting job) {}
}
