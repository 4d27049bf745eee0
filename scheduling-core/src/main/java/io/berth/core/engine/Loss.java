package io.berth.core.engine;

/// What runs lose together when they give way, from the dearest down: the highest rank among them,
/// what was done on GPUs, what was done on CPUs, how many they are.
record Loss(long rank, long gpuMillis, long cpuMillis, int runs) implements Comparable<Loss> {

    static final Loss NONE = new Loss(Long.MIN_VALUE, 0, 0, 0);

    static Loss of(Stake stake, long now, VictimOrder order) {
        if (stake.told()) {
            return NONE;
        }
        long cpuMillis = order == VictimOrder.LEAST_LOST ? worked(stake, now) * stake.cpus() : 0;
        return new Loss(stake.rank(), millis(stake, now, order), cpuMillis, 1);
    }

    /// What counts first among runs of one rank.
    static long millis(Stake stake, long now, VictimOrder order) {
        long worked = worked(stake, now);
        return order == VictimOrder.LEAST_LOST ? worked * stake.gpuThousandths() / 1000 : worked;
    }

    private static long worked(Stake stake, long now) {
        return stake.suspends() || stake.told() ? 0 : Math.max(0, now - stake.since());
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
