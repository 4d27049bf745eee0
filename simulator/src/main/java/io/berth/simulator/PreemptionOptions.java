package io.berth.simulator;

import static io.berth.simulator.Options.valued;

import io.berth.contracts.PreemptMode;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.PreemptRules.Type;
import io.berth.simulator.Options.Option;
import io.berth.simulator.run.GivingWay;
import io.berth.simulator.trace.TraceJob;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The options that say which groups of jobs take the place of which, and how.
final class PreemptionOptions {

    static final List<Option> OPTIONS =
            List.of(
                    valued(
                            "tiers",
                            "prod=10,dev=0: groups of a higher tier (of others: 1) take the place of lower ones"),
                    valued(
                            "preempt",
                            "prod=dev+test: as with QOS, jobs of prod take the place of those of dev and test"),
                    valued(
                            "preempt-mode",
                            "of those who give way: requeue, cancel, suspend or suspend,gang"),
                    valued("gpu-mode", "with suspend, of jobs with GPUs: requeue, cancel or off"),
                    valued("grace", "seconds that they are told before: 0"),
                    valued("exempt", "seconds for which a run gives way to nobody: 0"),
                    valued("time-slice", "with gang, seconds of a turn: 30"));

    private static final int MOST_SECONDS = 31_536_000;

    private PreemptionOptions() {}

    static GivingWay read(Options options) throws SimFailure {
        options.excludes("tiers", "preempt");
        boolean tiers = options.has("tiers");
        if (!tiers && !options.has("preempt")) {
            for (Option option : OPTIONS) {
                if (options.has(option.longName())) {
                    throw new SimFailure(
                            "--" + option.longName() + ": only with --tiers or --preempt");
                }
            }
            return GivingWay.NONE;
        }
        if (options.value("estimates", "").equals("predicted")) {
            throw new SimFailure(
                    "--estimates: where jobs give way, they have limits: not predicted");
        }
        return new GivingWay(
                rules(options, tiers ? Type.PARTITION_PRIO : Type.QOS),
                tiers ? tiers(options.value("tiers", "")) : new TreeMap<>(),
                tiers ? new TreeMap<>() : lists(options.value("preempt", "")),
                options.number("grace", 0, 0, MOST_SECONDS));
    }

    private static PreemptRules rules(Options options, Type type) throws SimFailure {
        String mode =
                options.choice(
                        "preempt-mode", List.of("requeue", "cancel", "suspend", "suspend,gang"));
        boolean gang = mode.endsWith(",gang");
        if (!mode.startsWith("suspend") && options.has("gpu-mode")) {
            throw new SimFailure("--gpu-mode: only with --preempt-mode suspend");
        }
        if (!gang && options.has("time-slice")) {
            throw new SimFailure("--time-slice: only with --preempt-mode suspend,gang");
        }
        if (gang && type != Type.QOS) {
            throw new SimFailure(
                    "--preempt-mode: jobs take turns in one partition alone: gang is for --preempt");
        }
        return new PreemptRules(
                type,
                mode(gang ? "suspend" : mode),
                gang,
                mode(options.choice("gpu-mode", List.of("requeue", "cancel", "off"))),
                options.number("exempt", 0, 0, MOST_SECONDS),
                false,
                0,
                0,
                0,
                options.number("time-slice", 30, 5, MOST_SECONDS),
                null);
    }

    private static PreemptMode mode(String word) {
        return PreemptMode.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private static SortedMap<String, Integer> tiers(String text) throws SimFailure {
        var tiers = new TreeMap<String, Integer>();
        for (String item : text.split(",", -1)) {
            int equals = item.lastIndexOf('=');
            String tier = item.substring(equals + 1);
            if (equals < 1 || !tier.matches("[0-9]{1,6}")) {
                throw new SimFailure(
                        "--tiers: '" + item + "' is not a group and its tier, such as prod=10");
            }
            tiers.put(item.substring(0, equals), Integer.valueOf(tier));
        }
        return tiers;
    }

    private static SortedMap<String, SortedSet<String>> lists(String text) throws SimFailure {
        var lists = new TreeMap<String, SortedSet<String>>();
        for (String item : text.split(",", -1)) {
            int equals = item.indexOf('=');
            List<String> others = Arrays.asList(item.substring(equals + 1).split("\\+", -1));
            if (equals < 1 || others.contains("")) {
                throw new SimFailure(
                        "--preempt: '"
                                + item
                                + "' is not a group and those whose place it takes, such as prod=dev+test");
            }
            lists.computeIfAbsent(item.substring(0, equals), _ -> new TreeSet<>()).addAll(others);
        }
        for (String group : lists.keySet()) {
            if (GivingWay.below(group, lists).contains(group)) {
                throw new SimFailure(
                        "--preempt: jobs of " + group + " would preempt one another for ever");
            }
        }
        return lists;
    }

    /// @throws SimFailure if a group is named of which there is no job
    static void checkGroups(GivingWay givingWay, List<TraceJob> jobs) throws SimFailure {
        var known = new TreeSet<String>();
        jobs.forEach(job -> known.add(job.group()));
        for (String group : givingWay.groups()) {
            if (!known.contains(group)) {
                throw new SimFailure(
                        "no job is of the group '"
                                + group
                                + "'; there are "
                                + String.join(", ", known));
            }
        }
    }
}
