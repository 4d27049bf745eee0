package io.berth.core.engine;

/// What runs lose together when they give way, from the dearest down: the highest rank among them,
/// what was done on GPUs, what was done on CPUs, how many they are.
record Loss(long rank, long gpuMillis, long cpuMillis, int runs) implements Comparable<Loss> {

    static final Loss NONE = new Loss(Long.MIN_VALUE, 0, 0, 0);

    static Loss of(Stake stake, long now, VictimOrder order) {
        if (stake.told()) {
            return NONE;
        }
        long worked = stake.suspends() ? 0 : Math.max(0, now - stake.since());
        return switch (order) {
            case LEAST_LOST ->
                    new Loss(stake.rank(), worked * stake.gpus(), worked * stake.cpus(), 1);
            case YOUNGEST_FIRST -> new Loss(stake.rank(), worked, 0, 1);
        };
    }

    Loss and(Loss other) {
        return new Loss(
                Math.max(rank, other.rank),
                gpuMillis + other.gpuMillis,
                cpuMillis + other.cpuMillis,
                runs + other.runs);
    }

    @Override
    public int compareTo(Loss other) {
        int order = Long.compare(rank, other.rank);
        order = order != 0 ? order : Long.compare(gpuMillis, other.gpuMillis);
        order = order != 0 ? order : Long.compare(cpuMillis, other.cpuMillis);
        return order != 0 ? order : Integer.compare(runs, other.runs);
    }
}
