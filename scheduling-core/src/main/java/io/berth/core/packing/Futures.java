package io.berth.core.packing;

/// Berth's own policy: takes the node and the GPU that leave the least unfilled in sampled futures.
///
/// *Goal*: after the arrivals to come, as few GPU thousandths as possible are left over: because
/// what is left of a GPU is too little for anyone, because the node's CPUs or memory have run out,
/// or because no node is whole any more for a job that wants many GPUs.
///
/// *Method*: a future is a sequence of shapes drawn from the mix of those that have arrived. It is
/// played on the one node: each shape that fits takes the tightest GPU with room, until three times
/// the node's free GPUs have been offered. What the futures leave over, on the average, is the
/// first part of what [Gradient] compares before and after. So fractions that complete one another
/// count as a fit, and so do jobs with many CPUs beside jobs with few, which a test of one shape at
/// a time (as in [Fgd]) cannot see. The second part is the gradient of [Fgd], of the shapes that
/// want several GPUs alone: a future played on one node offers it small shapes long before a large
/// one comes, while the scheduler can send those elsewhere and keep the node whole. It counts for
/// seven tenths.
///
/// The futures are *stratified*: the shapes at one place of all futures together are the mix, as
/// nearly as that many can be, so that few futures say as much as many drawn at random.
///
/// *Example*: half of the arrivals want 470 thousandths, half 530. An arrival of 470 has a choice
/// between a GPU with 1000 free and one with 530 free. Of the first it would leave 530, which a
/// future fills, sooner or later; of the second 60, which none can. It takes the first.
///
/// *Cost*: one look at a node plays [#FUTURES] sequences of at most [#LENGTH] shapes. What was
/// found is remembered by what is free on the node until the mix is read anew.
final class Futures extends Gradient {

    static final int FUTURES = 32;
    static final int LENGTH = 64;

    /// The offers of a future, in multiples of the node's free GPUs.
    private static final int OFFERED = 3;

    private static final int SCALE = 1000;

    /// What the gradient of the shapes that want several GPUs counts, in thousandths.
    private static final int MANY = 700;

    /// What the gradient of the shapes that want GPUs of a type counts, in thousandths.
    private static final int TYPED = 2800;

    private static final long SEED = 7;

    private Draws draws = new Draws(SEED);
    private final Shape[] offers = new Shape[FUTURES * LENGTH];
    private final int[] order = new int[FUTURES];
    private int[] left = {};
    private int leastCpus;
    private int leastMilli;

    /// The same mix, learned at once, has the same futures, whatever was learned before.
    @Override
    void refreshed() {
        if (mix.version() == 1) {
            draws = new Draws(SEED);
        }
        leastCpus = Integer.MAX_VALUE;
        leastMilli = Integer.MAX_VALUE;
        for (int place = 0; place < LENGTH; place++) {
            deal(place);
        }
        for (int i = 0; i < offers.length; i++) {
            leastCpus = Math.min(leastCpus, offers[i].cpus());
            leastMilli = Math.min(leastMilli, offers[i].gpuMilli());
        }
    }

    /// Gives each future its shape at that place: one from each of as many equal parts of the mix
    /// as there are futures, in shuffled order.
    private void deal(int place) {
        for (int part = 0; part < FUTURES; part++) {
            int other = draws.below(part + 1);
            order[part] = order[other];
            order[other] = part;
        }
        for (int part = 0; part < FUTURES; part++) {
            long at = ((long) part * mix.sum() + draws.below(mix.sum())) / FUTURES;
            offers[order[part] * LENGTH + place] = mix.shape((int) at);
        }
    }

    @Override
    long unusable(FreeNode node, long free) {
        return leftOver(node, free) * SCALE / FUTURES + unusableToFew(node, free);
    }

    /// GPU thousandths that the futures leave over, in sum.
    private long leftOver(FreeNode node, long free) {
        int[] gpus = known.sorted(node);
        int first = 0;
        boolean oneType = Long.bitCount(node.allTypes) == 1;
        while (oneType && first < gpus.length && gpus[first] < leastMilli) {
            first++;
        }
        if (left.length < gpus.length) {
            left = new int[gpus.length];
        }
        long sum = 0;
        for (int future = 0; future < FUTURES; future++) {
            System.arraycopy(gpus, first, left, first, gpus.length - first);
            sum += play(future * LENGTH, node, first, gpus.length, free);
        }
        return sum;
    }

    /// What the future that begins there leaves over of `left[first..end-1]`.
    private long play(int future, FreeNode node, int first, int end, long free) {
        int cpus = node.cpus;
        long memoryMib = node.memoryMib;
        long rest = free;
        long offered = 0;
        for (int i = future;
                i < future + LENGTH && offered < free * OFFERED && rest > 0 && cpus >= leastCpus;
                i++) {
            Shape shape = offers[i];
            offered += shape.demand();
            if (shape.cpus() <= cpus
                    && shape.memoryMib() <= memoryMib
                    && (shape.gpuTypes() & node.allTypes) != 0
                    && fill(shape, node.types, first, end)) {
                cpus -= shape.cpus();
                memoryMib -= shape.memoryMib();
                rest -= shape.demand();
            }
        }
        return rest;
    }

    private boolean fill(Shape shape, int[] types, int first, int end) {
        int milli = shape.gpuMilli();
        if (!shape.each().isEmpty()) {
            return fillEach(shape, types, first, end);
        }
        if (shape.gpus() > 1) {
            int from = room(shape.gpus(), milli, shape.gpuTypes(), types, first, end);
            take(from, shape.gpus(), milli);
            return from >= 0;
        }
        int best = -1;
        int least = Integer.MAX_VALUE;
        for (int gpu = first; gpu < end; gpu++) {
            int room = left[gpu];
            if (room >= milli && room < least && shape.admits(types[gpu])) {
                best = gpu;
                least = room;
            }
        }
        if (best < 0) {
            return false;
        }
        left[best] -= milli;
        return true;
    }

    /// So many of each type, or none.
    private boolean fillEach(Shape shape, int[] types, int first, int end) {
        int milli = shape.gpuMilli();
        for (Shape.OfType some : shape.each()) {
            if (room(some.gpus(), milli, some.gpuTypes(), types, first, end) < 0) {
                return false;
            }
        }
        for (Shape.OfType some : shape.each()) {
            int from = room(some.gpus(), milli, some.gpuTypes(), types, first, end);
            take(from, some.gpus(), milli);
        }
        return true;
    }

    /// Where the first type begins, of some types, of which enough GPUs are left; -1 if none has.
    private int room(int wanted, int milli, long ofTypes, int[] types, int first, int end) {
        int from = first;
        int found = 0;
        for (int gpu = first; gpu < end && found < wanted; gpu++) {
            if (types[gpu] != types[from]) {
                from = gpu;
                found = 0;
            }
            found += left[gpu] >= milli && (ofTypes >> types[gpu] & 1) != 0 ? 1 : 0;
        }
        return found < wanted ? -1 : from;
    }

    private void take(int from, int wanted, int milli) {
        int missing = from < 0 ? 0 : wanted;
        for (int gpu = from; missing > 0; gpu++) {
            if (left[gpu] >= milli) {
                left[gpu] -= milli;
                missing--;
            }
        }
    }

    /// The fragment, as [Fgd] defines it, for the shapes that want several GPUs or a type.
    private long unusableToFew(FreeNode node, long free) {
        long unusable = 0;
        for (int place = 0; place < mix.shapes().size(); place++) {
            Shape shape = mix.shapes().get(place);
            boolean typed = shape.typed();
            if (typed || shape.gpus() > 1) {
                long usable = node.fits(shape) ? node.freeGpuMilliFor(shape) : 0;
                long counts = (long) (typed ? TYPED : MANY) * mix.weight(place);
                unusable += counts * (free - usable) / mix.sum();
            }
        }
        return unusable;
    }
}
