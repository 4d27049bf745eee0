package io.berth.simulator.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/// What a simulation came to, over the jobs that ran. Times are seconds.
///
/// @param group "" for all
/// @param never jobs that no node, or no number of nodes, can hold
/// @param use part of the GPUs' time from the first submission to the last end that jobs had, also
///   with runs that were lost, in hundredths
/// @param backfilled jobs that started before one that stood ahead of them
/// @param promised jobs that were told an expected start while they waited
/// @param kept those of them that started by then, in hundredths
/// @param late seconds that the others started later
/// @param early seconds that those started before
/// @param overtaken by how many jobs that came later and started earlier
/// @param fragmented part of the GPUs' time in which they were free while a job waited that asked
///   for no more, in hundredths
/// @param gaveWay runs that gave way to other jobs and were lost
/// @param lostGpuHours what these runs had done
/// @param cancelled jobs of these that were not to run again
/// @param stoodStill jobs whose runs stood still for others
/// @param stillHours how long they did, in sum
public record Summary(
        String group,
        int nodes,
        long gpus,
        int jobs,
        int never,
        Distribution waits,
        Distribution completion,
        Distribution slowdown,
        double use,
        double makespan,
        int backfilled,
        int promised,
        double kept,
        Distribution late,
        Distribution early,
        Distribution overtaken,
        double fragmented,
        int gaveWay,
        double lostGpuHours,
        int cancelled,
        int stoodStill,
        double stillHours) {

    /// What several clusters come to only together.
    private record Whole(double makespan, double use, Distribution overtaken, double fragmented) {}

    /// Of one cluster's jobs.
    public static Summary of(String group, int nodes, long gpus, List<Outcome> outcomes) {
        List<Outcome> ran = outcomes.stream().filter(Outcome::ran).toList();
        List<Outcome> held = outcomes.stream().filter(it -> !it.spells().isEmpty()).toList();
        double makespan = makespan(held);
        double gpuSeconds = sum(held, it -> it.job().gpus() * it.heldMillis() / 1000.0);
        double had = gpus * makespan;
        var whole =
                new Whole(
                        makespan,
                        had == 0 ? 0 : 100 * gpuSeconds / had,
                        Distribution.of(overtaken(ran).toArray()),
                        had == 0 ? 0 : 100 * Timeline.fragmented(held, gpus) / had);
        return of(group, nodes, gpus, outcomes, whole);
    }

    /// Of several clusters' jobs, each of which was scheduled alone.
    public static Summary of(List<Summary> groups, List<List<Outcome>> outcomes) {
        double had = groups.stream().mapToDouble(it -> it.gpus * it.makespan).sum();
        var whole =
                new Whole(
                        groups.stream().mapToDouble(Summary::makespan).max().orElse(0),
                        weighted(groups, had, Summary::use),
                        Distribution.of(
                                outcomes.stream()
                                        .map(its -> its.stream().filter(Outcome::ran).toList())
                                        .flatMapToDouble(Summary::overtaken)
                                        .toArray()),
                        weighted(groups, had, Summary::fragmented));
        return of(
                "",
                groups.stream().mapToInt(Summary::nodes).sum(),
                groups.stream().mapToLong(Summary::gpus).sum(),
                outcomes.stream().flatMap(List::stream).toList(),
                whole);
    }

    private static DoubleStream overtaken(List<Outcome> ran) {
        return Arrays.stream(Overtaking.counts(ran)).asDoubleStream();
    }

    private static double weighted(
            List<Summary> groups, double had, ToDoubleFunction<Summary> percent) {
        double sum =
                groups.stream()
                        .mapToDouble(it -> percent.applyAsDouble(it) * it.gpus * it.makespan)
                        .sum();
        return had == 0 ? 0 : sum / had;
    }

    private static Summary of(
            String group, int nodes, long gpus, List<Outcome> outcomes, Whole whole) {
        List<Outcome> ran = outcomes.stream().filter(Outcome::ran).toList();
        var late = new ArrayList<Outcome>();
        var inTime = new ArrayList<Outcome>();
        for (Outcome outcome : ran) {
            if (outcome.promised() >= 0) {
                (outcome.start() > outcome.promised() ? late : inTime).add(outcome);
            }
        }
        int promised = late.size() + inTime.size();
        int cancelled = (int) outcomes.stream().filter(Outcome::cancelled).count();
        return new Summary(
                group,
                nodes,
                gpus,
                ran.size(),
                outcomes.size() - ran.size() - cancelled,
                seconds(ran, Outcome::waitMillis),
                seconds(ran, Outcome::completionMillis),
                Distribution.of(ran.stream().mapToDouble(Outcome::slowdown).toArray()),
                whole.use,
                whole.makespan,
                (int) ran.stream().filter(Outcome::backfilled).count(),
                promised,
                promised == 0 ? 0 : 100.0 * inTime.size() / promised,
                seconds(late, it -> it.start() - it.promised()),
                seconds(inTime, it -> it.promised() - it.start()),
                whole.overtaken,
                whole.fragmented,
                outcomes.stream().mapToInt(it -> it.lost().size()).sum(),
                sum(outcomes, it -> it.job().gpus() * it.lostMillis() / 3.6e6),
                cancelled,
                (int) outcomes.stream().filter(it -> it.stillMillis() > 0).count(),
                sum(outcomes, it -> it.stillMillis() / 3.6e6));
    }

    private static double makespan(List<Outcome> held) {
        long first = held.stream().mapToLong(it -> it.job().submitMillis()).min().orElse(0);
        long last = held.stream().mapToLong(it -> it.spells().getLast().end()).max().orElse(0);
        return (last - first) / 1000.0;
    }

    private static double sum(List<Outcome> outcomes, ToDoubleFunction<Outcome> of) {
        return outcomes.stream().mapToDouble(of).sum();
    }

    private static Distribution seconds(List<Outcome> outcomes, ToDoubleFunction<Outcome> millis) {
        return Distribution.of(
                outcomes.stream().mapToDouble(millis).map(it -> it / 1000).toArray());
    }
}
