package io.berth.submit;

import io.berth.contracts.GpuSample;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// What the GPUs of jobs did over time, from the heartbeats that this gateway has read.
///
/// A curve has up to 240 points. When it is full, every second one goes and the distance doubles: a
/// curve of a long run is as long as one of a short run, and coarser. The curves that were not
/// written for longest are forgotten first.
public final class Telemetry {
    static final int MAX_POINTS = 240;

    private final int maxCurves;
    private final LinkedHashMap<Key, Curve> curves;

    private record Key(JobId job, NodeName node, String uuid) {}

    /// One moment of a GPU. What it did not tell is -1.
    ///
    /// @param at epoch milliseconds
    /// @param use in percent
    /// @param milliwatts power that it drew
    public record Point(long at, int use, long memoryUsedMib, long milliwatts) {}

    private static final class Curve {
        private final List<Point> points = new ArrayList<>();
        private long distance;

        void add(Point point) {
            if (!points.isEmpty() && point.at() - points.getLast().at() < distance) {
                return;
            }
            points.add(point);
            if (points.size() == MAX_POINTS) {
                var kept = new ArrayList<Point>();
                for (int i = 0; i < points.size(); i += 2) {
                    kept.add(points.get(i));
                }
                points.clear();
                points.addAll(kept);
                long whole = kept.getLast().at() - kept.getFirst().at();
                distance = whole / (kept.size() - 1);
            }
        }
    }

    /// A GPU's curve in a job.
    public record OfGpu(NodeName node, String uuid, List<Point> points) {}

    /// @param maxCurves GPUs of jobs that are remembered
    public Telemetry(int maxCurves) {
        this.maxCurves = maxCurves;
        this.curves =
                new LinkedHashMap<>(16, 0.75f, true) {
                    private static final long serialVersionUID = 1;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<Key, Curve> eldest) {
                        return size() > Telemetry.this.maxCurves;
                    }
                };
    }

    /// A sample of a GPU that the job held.
    public synchronized void add(JobId job, NodeName node, GpuSample sample, long at) {
        curves.computeIfAbsent(new Key(job, node, sample.uuid()), _ -> new Curve())
                .add(
                        new Point(
                                at,
                                sample.use() == null ? -1 : sample.use(),
                                sample.memoryUsedMib() == null ? -1 : sample.memoryUsedMib(),
                                sample.milliwatts() == null ? -1 : sample.milliwatts()));
    }

    /// The curves of a job, by node and GPU; none if its GPUs say nothing.
    public synchronized List<OfGpu> of(JobId job) {
        SortedMap<String, OfGpu> found = new TreeMap<>();
        curves.forEach((key, curve) -> {
            if (key.job().equals(job)) {
                found.put(
                        key.node() + "/" + key.uuid(),
                        new OfGpu(key.node(), key.uuid(), List.copyOf(curve.points)));
            }
        });
        return List.copyOf(found.values());
    }
}
