package io.berth.core.packing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Fragmentation gradient descent as the paper's experiments computed it, for comparison with the
/// published numbers. It is no fair competitor: it knows the whole list of jobs beforehand.
///
/// Against [Fgd]: the typical shapes are the most frequent ones of the whole list that together
/// make up 95 % of it, without memory; the gradient goes through a logistic curve and is cut to a
/// whole number of hundredths, so that small differences are ties. The first node takes them, so
/// the numbers depend on the nodes' order: the published ones are of nodes in a shuffled order.
///
/// Source: the paper of [Fgd] and its artifact's settings.
final class FgdPaper implements PackingPolicy {

    private static final double POPULARITY = 0.95;
    private static final int BEST = 100;

    private final Shape[] typical;
    private final double[] weights;

    /// @param list all jobs that will be offered
    FgdPaper(List<Shape> list) {
        Map<Shape, Integer> counts = new LinkedHashMap<>();
        for (Shape shape : list) {
            counts.merge(withoutMemory(shape), 1, Integer::sum);
        }
        var byCount = new ArrayList<>(counts.entrySet());
        byCount.sort(
                Map.Entry.<Shape, Integer>comparingByValue()
                        .thenComparing(
                                Map.Entry::getKey,
                                Comparator.comparingInt(Shape::cpus)
                                        .thenComparingInt(Shape::gpuMilli)
                                        .thenComparingInt(Shape::gpus)
                                        .thenComparingLong(Shape::gpuTypes))
                        .reversed());
        var chosen = new ArrayList<Shape>();
        var frequencies = new ArrayList<Integer>();
        int sum = 0;
        for (Map.Entry<Shape, Integer> entry : byCount) {
            if (sum >= POPULARITY * list.size()) {
                break;
            }
            chosen.add(entry.getKey());
            frequencies.add(entry.getValue());
            sum += entry.getValue();
        }
        double all = sum;
        typical = chosen.toArray(Shape[]::new);
        weights = frequencies.stream().mapToDouble(count -> count / all).toArray();
    }

    private static Shape withoutMemory(Shape shape) {
        return new Shape(
                shape.cpus(),
                0,
                shape.gpus(),
                shape.gpuMilli(),
                shape.gpuTypes(),
                shape.gpuTypes() != -1,
                shape.each());
    }

    @Override
    public long cost(FreeNode node, Shape shape, long gpus) {
        return -score(node, shape, gpus, fragment(node));
    }

    @Override
    public long gpus(FreeNode node, Shape shape) {
        if (shape.gpus() != 1 || shape.isWhole()) {
            return node.firstGpus(shape);
        }
        double before = fragment(node);
        long best = 0;
        long bestScore = -1;
        for (int gpu = 0; gpu < node.gpus.length; gpu++) {
            if (node.gpus[gpu] >= shape.gpuMilli()) {
                long score = score(node, shape, 1L << gpu, before);
                if (score > bestScore) {
                    bestScore = score;
                    best = 1L << gpu;
                }
            }
        }
        return best;
    }

    private long score(FreeNode node, Shape shape, long chosen, double before) {
        node.take(shape, chosen);
        double gradient = (before - fragment(node)) / Shape.WHOLE;
        node.give(shape, chosen);
        return (long) (BEST / (1 + StrictMath.exp(-gradient)));
    }

    private double fragment(FreeNode node) {
        long free = node.freeGpuMilli();
        double fragment = 0;
        for (int i = 0; i < typical.length; i++) {
            Shape shape = typical[i];
            boolean usable = shape.gpus() > 0 && node.fits(shape);
            fragment += weights[i] * (usable ? free - node.freeGpuMilliFor(shape) : free);
        }
        return fragment;
    }
}
